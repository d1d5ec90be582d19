import { effect, signal } from '@preact/signals';

export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEPT_AS = 'meshnet-theme';

function kept(): Theme {
  try {
    return THEMES.find((known) => known === localStorage.getItem(KEPT_AS)) ?? 'auto';
  } catch {
    return 'auto';
  }
}

/** `auto` follows the system. */
export const theme = signal<Theme>(kept());

effect(() => {
  if (theme.value === 'auto') document.documentElement.removeAttribute('data-theme');
  else document.documentElement.dataset.theme = theme.value;
  try {
    localStorage.setItem(KEPT_AS, theme.value);
  } catch {
    // Storage may be forbidden; then it holds for this visit.
  }
});
