import { effect, signal, type Signal } from '@preact/signals';

/**
 * A signal that outlives the page: kept in the browser's storage as text. Storage may be forbidden; then it holds for
 * this visit.
 */
export function keptSignal<T>(
  name: string,
  read: (text: string | null) => T,
  write: (value: T) => string,
): Signal<T> {
  const kept = signal(read(stored(name)));
  effect(() => {
    const text = write(kept.value);
    try {
      localStorage.setItem(name, text);
    } catch {
      // See above.
    }
  });
  return kept;
}

function stored(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}
