/** An image reference in its normal form: `docker.io/library/busybox`, with a tag, a digest or both. */
export interface ImageReference {
  readonly repository: string;
  readonly tag: string | undefined;
  /** `sha256:` and 64 hex digits. */
  readonly digest: string | undefined;
}

const DOMAIN =
  /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)(?:\.(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?))*(?::\d+)?$|^\[[0-9a-fA-F:]+\](?::\d+)?$/;
const COMPONENT = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;
const ID = /^[0-9a-f]{64}$/;
const MAX_NAME = 255;

/**
 * Normalizes a reference as distribution/reference and containerd's ParseDockerRef do: adds docker.io, `library/` and,
 * to a bare name, `:latest`; converts `index.docker.io` to docker.io; drops the tag if there is a digest. Undefined for
 * anything else, including 64 hex digits, which are reserved for ids.
 */
export function parseImageReference(text: string): ImageReference | undefined {
  if (text === '' || ID.test(text)) return undefined;
  const at = text.indexOf('@');
  const digest = at < 0 ? undefined : text.slice(at + 1);
  if (digest !== undefined && !DIGEST.test(digest)) return undefined;
  const named = at < 0 ? text : text.slice(0, at);
  const colon = named.lastIndexOf(':');
  const hasTag = colon > named.lastIndexOf('/');
  const tag = hasTag ? named.slice(colon + 1) : undefined;
  if (tag !== undefined && !TAG.test(tag)) return undefined;
  const repository = normalizeName(hasTag ? named.slice(0, colon) : named);
  if (repository === undefined) return undefined;
  if (digest !== undefined) return { repository, tag: undefined, digest };
  return { repository, tag: tag ?? 'latest', digest: undefined };
}

/** `repository:tag` or `repository@digest`. */
export function formatImageReference({ repository, tag, digest }: ImageReference): string {
  return digest === undefined ? `${repository}:${tag ?? 'latest'}` : `${repository}@${digest}`;
}

function normalizeName(name: string): string | undefined {
  const slash = name.indexOf('/');
  const first = name.slice(0, slash);
  const hasDomain =
    slash > 0 && (/[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase());
  let domain = hasDomain ? first : 'docker.io';
  let path = hasDomain ? name.slice(slash + 1) : name;
  if (domain === 'index.docker.io') domain = 'docker.io';
  if (domain === 'docker.io' && !path.includes('/')) path = `library/${path}`;
  const isValid = DOMAIN.test(domain) && path.split('/').every((component) => COMPONENT.test(component));
  const repository = `${domain}/${path}`;
  return isValid && repository.length <= MAX_NAME ? repository : undefined;
}
