/** Up to so many models all stand open; a page with more needs a filter, and folds what comes after. */
export const MODELS_OPEN = 8;

/** Whether the model is meant by what was typed: all of its words, whatever the case. */
export function isWanted(model: string, typed: string): boolean {
  const name = model.toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => name.includes(word));
}

/** Whether a model's part stands open before anybody folded it by hand. */
export function opensByItself(place: number, isUrgent: boolean): boolean {
  return isUrgent || place < MODELS_OPEN;
}
