/** The URL of an HTTP request; undefined if its target is none. `//` at its beginning is part of the path. */
export function requestUrl(target = '/'): URL | undefined {
  const text = target.startsWith('/') ? `http://localhost${target}` : target;
  return URL.canParse(text) ? new URL(text) : undefined;
}
