const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

// Control characters, lone surrogates and the two non-characters, which XML 1.0 forbids.
const FORBIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Escapes text for elements and attributes of XML and HTML; forbidden characters become U+FFFD. */
export const escapeMarkup = (text: string): string =>
  text.replaceAll(FORBIDDEN, '\ufffd').replaceAll(/[&<>"']/g, (character) => ENTITIES[character] as string);
