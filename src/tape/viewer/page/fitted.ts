interface Measure {
  measureText(text: string): { readonly width: number };
}

/** Maximum number of characters to measure: no place fits more. */
const MOST = 200;

export function fitted(context: Measure, text: string, width: number): string {
  const fits = (part: string) => context.measureText(part).width <= width;
  if (text.length <= MOST && fits(text)) return text;
  let length = Math.min(text.length, MOST);
  while (length > 1 && !fits(`${text.slice(0, length)}…`)) length--;
  return `${text.slice(0, length)}…`;
}
