/** Decodes percent-encoded UTF-8; text with an invalid escape stays as it is. */
export function unescapePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
