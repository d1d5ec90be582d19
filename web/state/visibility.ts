import { signal } from '@preact/signals';

/** Whether anybody can see the page. In a hidden tab nothing is asked and no stream is open. */
export const visible = signal(!document.hidden);

document.addEventListener('visibilitychange', () => {
  visible.value = !document.hidden;
});
