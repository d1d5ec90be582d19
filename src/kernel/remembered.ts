/** Most clients and heads use the same few names; those that are made up must not fill the memory. */
const MOST_REMEMBERED = 1000;

/** What is said of a name is remembered: of a header's, mostly, which comes with each chat. */
export function remembered<T>(judge: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>();
  return (name) => {
    const said = known.get(name);
    if (said !== undefined) return said;
    const verdict = judge(name);
    // A copy: a part of a text keeps all of it alive.
    if (known.size < MOST_REMEMBERED) known.set(Buffer.from(name).toString(), verdict);
    return verdict;
  };
}
