import { tipPlace } from './tip-place.js';

/** The one tip of the page, made when it is first needed. In the browser's top layer, so that no card cuts it off. */
let layer: HTMLElement | null = null;
let shownFor: Element | null = null;

function theLayer(): HTMLElement {
  if (layer !== null) return layer;
  layer = document.createElement('div');
  layer.className = 'tip';
  layer.setAttribute('popover', 'manual');
  // Who hears the page is told by aria-describedby, once.
  layer.setAttribute('aria-hidden', 'true');
  document.body.append(layer);
  document.addEventListener('scroll', follow, { capture: true, passive: true });
  document.addEventListener('pointermove', follow, { passive: true });
  document.addEventListener('pointerdown', ({ target }) => {
    if (!(target instanceof Node) || shownFor?.contains(target) !== true) hideTip();
  });
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') hideTip();
  });
  return layer;
}

export function showTip(anchor: Element, text: string): void {
  const tip = theLayer();
  shownFor = anchor;
  tip.textContent = text;
  tip.dataset.shown = '';
  if (typeof tip.showPopover === 'function' && !tip.matches(':popover-open')) tip.showPopover();
  put(tip, anchor);
}

function put(tip: HTMLElement, anchor: Element): void {
  const view = { width: document.documentElement.clientWidth, height: window.innerHeight };
  const { left, top } = tipPlace(anchor.getBoundingClientRect(), tip.getBoundingClientRect(), view);
  tip.style.left = `${String(left)}px`;
  tip.style.top = `${String(top)}px`;
}

/** What is explained may have been scrolled, or left the page with the newest answer. */
function follow(): void {
  if (layer === null || shownFor === null) return;
  if (shownFor.isConnected) put(layer, shownFor);
  else hideTip();
}

export function hideTip(): void {
  if (layer === null || shownFor === null) return;
  shownFor = null;
  delete layer.dataset.shown;
  if (typeof layer.hidePopover === 'function') layer.hidePopover();
}

type Anchored<E> = E & { readonly currentTarget: Element };

/** What makes an element show the text: pointer, focus and tap. */
export function tipHandlers(text: string) {
  return {
    onPointerEnter: (event: Anchored<PointerEvent>) => {
      if (event.pointerType === 'mouse') showTip(event.currentTarget, text);
    },
    onPointerLeave: (event: Anchored<PointerEvent>) => {
      if (event.pointerType === 'mouse') hideTip();
    },
    onFocus: (event: Anchored<FocusEvent>) => {
      if (event.currentTarget.matches(':focus-visible')) showTip(event.currentTarget, text);
    },
    onBlur: hideTip,
    onClick: (event: Anchored<MouseEvent>) => showTip(event.currentTarget, text),
  };
}
