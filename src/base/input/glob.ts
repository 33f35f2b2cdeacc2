/** Whether a text contains these parts in order, with anything between them. Takes linear time. */
export function fitsParts(parts: readonly string[], text: string): boolean {
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/**
 * Matches a glob: `*` is any run of characters, `?` one (a UTF-16 unit). Only the last `*` is retried, so the time is
 * at most the text's length times the glob's.
 */
export function globMatches(glob: string, text: string): boolean {
  let [at, place] = [0, 0];
  let [star, resume] = [-1, 0];
  while (at < text.length) {
    const wanted = glob[place];
    if (wanted === '*') {
      star = place++;
      resume = at;
    } else if (wanted === '?' || wanted === text[at]) {
      place++;
      at++;
    } else if (star >= 0) {
      place = star + 1;
      at = ++resume;
    } else return false;
  }
  while (glob[place] === '*') place++;
  return place === glob.length;
}
