import { Component, createElement, type ComponentChild, type ComponentType } from 'preact';

/** The view, rendered anew only when what it is given says something else. Of preact/compat's we would get all of compat. */
export function memo<P extends object>(
  View: ComponentType<P>,
  same: (before: P, after: P) => boolean = shallowSame,
): ComponentType<P> {
  return class extends Component<P> {
    override shouldComponentUpdate(after: Readonly<P>): boolean {
      return !same(this.props, after);
    }

    override render(): ComponentChild {
      return createElement(View, this.props as P);
    }
  };
}

/** Whether two objects have the same fields with the same values, one level deep. */
export function shallowSame<P extends object>(before: P, after: P): boolean {
  const names = Object.keys(before) as (keyof P)[];
  if (names.length !== Object.keys(after).length) return false;
  return names.every((name) => name in after && Object.is(before[name], after[name]));
}
