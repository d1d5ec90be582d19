export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

const MARGIN = 8;
const DISTANCE = 6;

/** Where a tip goes: under what it explains, above it where there is no room, and never over the window's edge. */
export function tipPlace(anchor: Box, tip: Size, view: Size): { left: number; top: number } {
  const centred = anchor.left + anchor.width / 2 - tip.width / 2;
  const left = Math.max(MARGIN, Math.min(centred, view.width - tip.width - MARGIN));
  const below = anchor.top + anchor.height + DISTANCE;
  const above = anchor.top - DISTANCE - tip.height;
  const fits = below + tip.height <= view.height - MARGIN || above < MARGIN;
  return { left, top: fits ? below : above };
}
