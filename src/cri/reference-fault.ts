const HOST =
  '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])(?:\\.(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9]))*';
const DOMAIN = `(?:${HOST}|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const PART = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const MAX_NAME = 255;
const TAG = ':[\\w][\\w.-]{0,127}';
const DIGEST = '@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}';
const REFERENCE = new RegExp(`^(?:${DOMAIN}/)?${PART}(?:/${PART})*(?:${TAG})?(?:${DIGEST})?$`);

/** Returns why a text is not an image name, in the words of distribution/reference; undefined if it is valid. */
export function referenceFault(text: string): string | undefined {
  if (/^[0-9a-f]{64}$/.test(text)) {
    return `invalid repository name (${text}), cannot specify 64-byte hexadecimal strings`;
  }
  const { domain, path } = splitDomain(text);
  const [repository = ''] = path.split(':');
  if (repository !== repository.toLowerCase()) {
    return `invalid reference format: repository name (${repository}) must be lowercase`;
  }
  if (!REFERENCE.test(`${domain}/${path}`)) return 'invalid reference format';
  const name = `${domain}/${repository.replace(/@.*/, '')}`;
  return name.length > MAX_NAME ? `repository name must not be more than ${MAX_NAME} characters` : undefined;
}

/** splitDockerDomain: the part before the first slash is a host if it looks like one. */
function splitDomain(text: string): { domain: string; path: string } {
  const slash = text.indexOf('/');
  const first = text.slice(0, slash);
  const isHost = slash >= 0 && (/[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase());
  const domain = isHost ? first.replace(/^index\.docker\.io$/, 'docker.io') : 'docker.io';
  const path = isHost ? text.slice(slash + 1) : text;
  return { domain, path: domain === 'docker.io' && !path.includes('/') ? `library/${path}` : path };
}
