const LOOK_EVERY_MS = 10;

/**
 * Looks again and again until `check` neither throws nor rejects, and hands on what it found. After `limitMs` the
 * last fault stands.
 *
 *     await eventually(() => expect(head.openChats).toBe(0));
 */
export async function eventually<T>(check: () => T | Promise<T>, limitMs = 5_000): Promise<T> {
  const until = performance.now() + limitMs;
  for (;;) {
    try {
      return await check();
    } catch (fault) {
      if (performance.now() > until) throw fault;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
