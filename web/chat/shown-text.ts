/** More than this of one text is not shown: laying it out would hold the page up for seconds. */
export const MOST_SHOWN = 200_000;
/** So long a run without a blank is no word of any language. */
const LONGEST_RUN = 1000;
/** Lets a line break where nothing is seen. */
const BREAK = '\u200b';
const LONG_RUN = new RegExp(`\\S{${String(LONGEST_RUN)}}(?=\\S)`, 'g');

/** A text as the page shows it: cut where it is too long, and with places to break where it has none of its own. */
export function shownText(text: string): string {
  const shown = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)} … and more` : text;
  return shown.replace(LONG_RUN, (run) => run + BREAK);
}
