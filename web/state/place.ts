import { computed, signal } from '@preact/signals';

export const TABS = ['overview', 'calls', 'nodes', 'timeline', 'chat'] as const;
export type Tab = (typeof TABS)[number];

const hash = signal(location.hash);
window.addEventListener('hashchange', () => {
  hash.value = location.hash;
});

/** Where in the page one is: `#/calls/<request id>`; in the address, so that a link leads there. */
export const place = computed<{ tab: Tab; detail: string | null }>(() => {
  const [, name = '', ...rest] = hash.value.split('/');
  const tab = TABS.find((known) => known === name) ?? 'overview';
  return { tab, detail: rest.join('') === '' ? null : decoded(rest.join('/')) };
});

export function linkTo(tab: Tab, detail: string | null = null): string {
  return `#/${tab}${detail === null ? '' : `/${encodeURIComponent(detail)}`}`;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
