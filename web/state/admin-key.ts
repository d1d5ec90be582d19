import { computed, signal, type ReadonlySignal } from '@preact/signals';
import { visible } from './visibility.js';

/** Where the tab keeps it; another tab, and this one once it is closed, knows nothing of it. */
const NAME = 'meshnet-admin-key';

/** Why the page has to ask for a key: the tracker wants one, or doesn't take the one that it was sent. */
export type KeyNeed = 'missing' | 'wrong';

const key = signal<string | null>(stored());
const need = signal<KeyNeed | null>(null);

export const adminKey: ReadonlySignal<string | null> = key;
export const keyNeed: ReadonlySignal<KeyNeed | null> = need;

/** Whether there is any use in asking the tracker: somebody sees the answers, and it is not known to refuse them. */
export const mayAsk: ReadonlySignal<boolean> = computed(() => visible.value && need.value === null);

/** The tracker took this key: the page goes on with it. */
export function keepKey(text: string): void {
  key.value = text;
  store(text);
  need.value = null;
}

/** Nobody at this screen shall use it any more. */
export function forgetKey(): void {
  key.value = null;
  store(null);
  need.value = 'missing';
}

/** The tracker answered 401 to a request with this key. An answer to a key that is not used any more says nothing. */
export function keyRefused(sent: string | null): void {
  if (sent !== key.peek()) return;
  key.value = null;
  store(null);
  // Whoever is told that a key is wrong is not told, by the next answer, that there was none.
  need.value = sent === null ? (need.peek() ?? 'missing') : 'wrong';
}

/** What is wrong with a key that can't be sent at all; null: nothing. */
export function keyFault(text: string): string | null {
  if (text === '') return 'Enter the key.';
  return /^[\x21-\x7e]+$/.test(text) ? null : 'A key has no spaces and only plain letters, digits and signs.';
}

/** For requests with this key. */
export function keyHeaders(sent: string | null): Record<string, string> {
  return sent === null ? {} : { authorization: `Bearer ${sent}` };
}

function stored(): string | null {
  try {
    return sessionStorage.getItem(NAME);
  } catch {
    return null;
  }
}

/** Storage may be forbidden; then the key holds until the page is loaded anew. */
function store(text: string | null): void {
  try {
    if (text === null) sessionStorage.removeItem(NAME);
    else sessionStorage.setItem(NAME, text);
  } catch {
    // See above.
  }
}
