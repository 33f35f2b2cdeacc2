interface Measure {
  measureText(text: string): { readonly width: number };
}

/** Maximum number of characters to measure: nothing on the page fits more. */
const MOST = 200;

/** Shortens a text in the middle, because names of pods and causes often differ only at their end. */
export function fitted(context: Measure, text: string, width: number): string {
  const fits = (part: string) => context.measureText(part).width <= width;
  if (text.length <= MOST && fits(text)) return text;
  let length = Math.min(text.length - 1, MOST);
  while (length > 1 && !fits(shortened(text, length))) length--;
  return shortened(text, length);
}

const shortened = (text: string, length: number): string => {
  const tail = length >> 1;
  return `${text.slice(0, length - tail)}…${text.slice(text.length - tail)}`;
};
