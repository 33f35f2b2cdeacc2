const HOST =
  '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])(?:\\.(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9]))*';
const DOMAIN = `(?:${HOST}|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const PART = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const TAG = ':[\\w][\\w.-]{0,127}';
const DIGEST = '@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}';
const REFERENCE = new RegExp(`^(?:${DOMAIN}/)?${PART}(?:/${PART})*(?:${TAG})?(?:${DIGEST})?$`);

/** Whether a text can be an image's name at all (distribution reference grammar). */
export function isImageReference(text: string): boolean {
  return text.length <= 1024 && (REFERENCE.test(text) || /^[0-9a-f]{64}$/.test(text));
}
