import { aborted } from '../../../src/base/clock/aborted.js';
import type { Clock } from '../../../src/base/clock/clock.js';
import { globMatches } from '../../../src/base/input/glob.js';
import { CriError, type ErrorKind, invalid, type PullFailure } from '../../../src/cri/errors.js';
import type { AuthConfig } from '../../../src/cri/gen/runtime/v1/api.js';
import {
  formatImageReference,
  type ImageReference,
  parseImageReference,
} from '../../../src/cri/image-reference.js';
import type { ImageBackend, ImagePull } from '../../../src/runtime/engine/backend/images.js';
import type { ImageStore, StoredImage } from './image-store.js';

/** A rule for pulls of matching references; the first match counts. */
export interface PullRule {
  /** A glob over the normalized reference. */
  readonly match: string;
  /** In ms. */
  readonly latency?: number | undefined;
  readonly fail?: PullFailure | { readonly kind: ErrorKind; readonly message: string } | undefined;
  /** Whether the runtime reports that garbage collection must not remove the image. */
  readonly pinned?: boolean | undefined;
  /** Pulls without these credentials are denied. */
  readonly auth?: { readonly username: string; readonly password: string } | undefined;
}

export const ruleFor = (rules: readonly PullRule[], reference: ImageReference): PullRule | undefined =>
  rules.find(({ match }) => globMatches(match, formatImageReference(reference)));

/** The first rule that matches an image counts; without one it is pulled after `latency`. */
export interface PullOptions {
  readonly clock: Clock;
  readonly rules: readonly PullRule[];
  /** In ms; above 0, so that a deadline can come before it. */
  readonly latency: number;
  readonly store: ImageStore;
  /** Rules that come and go. Default: none. */
  readonly live?: LivePull | undefined;
}

/** Undefined where no rule decides. `image` is the normalized reference. */
export type LivePull = (pull: ImagePull, image: string) => Omit<PullRule, 'match'> | undefined;

export function createPulls({ clock, rules, latency, store, live }: PullOptions): ImageBackend['pull'] {
  const underWay = new Map<string, Promise<StoredImage>>();

  const fetch = async (reference: ImageReference, pull: ImagePull, signal: AbortSignal) => {
    const { auth } = pull;
    const name = formatImageReference(reference);
    const rule = live?.(pull, name) ?? ruleFor(rules, reference);
    await clock.sleep(rule?.latency ?? latency, signal);
    if (rule?.auth) checkCredentials(name, auth, rule.auth);
    if (typeof rule?.fail === 'string') throw failedPull(rule.fail, name);
    if (rule?.fail) throw new CriError(rule.fail.kind, rule.fail.message);
    if (isNowhere(reference)) throw failedPull('absent', name);
    return store.add(reference);
  };

  /** Concurrent identical pulls share one pull; when its caller cancels, the next one takes over. */
  const join = async (
    key: string,
    begin: () => Promise<StoredImage>,
    signal: AbortSignal,
  ): Promise<StoredImage> => {
    const other = underWay.get(key);
    if (other) {
      const shared = await clock.idle(Promise.race([other, aborted(signal)])).catch(() => undefined);
      signal.throwIfAborted();
      return shared ?? join(key, begin, signal);
    }
    const own = begin();
    underWay.set(key, own);
    try {
      return await own;
    } finally {
      underWay.delete(key);
    }
  };

  return async (pull, { signal }) => {
    const { image, auth, sandboxConfig } = pull;
    signal.throwIfAborted();
    const reference = parseImageReference(image.image);
    if (reference === undefined) {
      // An id can be "pulled" while its image is present.
      const present = store.find(image.image);
      if (present) return present.id;
      const form = 'expected [DOMAIN/]PATH[:TAG][@DIGEST]; the repository name must be lowercase';
      throw invalid(
        `failed to parse image reference ${JSON.stringify(image.image)}: invalid reference format: ${form}`,
        { name: 'malformed-image', image: image.image },
      );
    }
    const asker = live === undefined ? '' : sandboxConfig?.metadata?.uid;
    const key = `${formatImageReference(reference)} ${JSON.stringify(auth ?? null)} ${asker}`;
    return (await join(key, () => fetch(reference, pull, signal), signal)).id;
  };
}

/** Names of images that never exist, for tests of clients; no registry has a name below `invalid` (RFC 6761). */
const isNowhere = ({ repository }: ImageReference): boolean =>
  /^(localhost\/(wrong|no-such-image)$|invalid\.registry\.k8s\.io\/|[^/]+\.invalid(:\d+)?\/)/.test(
    repository,
  );

/** Errors of the profile `strict`. */
const FAILURES: Readonly<Record<PullFailure, readonly [ErrorKind, string]>> = {
  absent: ['not-found', 'not found'],
  denied: ['denied', 'the registry denies access'],
  unauthorized: ['denied', 'unauthorized: authentication required'],
  'wrong-credentials': ['denied', 'unauthorized: authentication required'],
  'malformed-credentials': ['invalid', 'malformed credentials'],
  unreachable: ['unavailable', 'nothing listens at the address of the registry'],
  unavailable: ['unavailable', 'the registry answers 503 Service Unavailable'],
  'too-many-requests': ['exhausted', 'the registry answers 429 Too Many Requests'],
  timeout: ['timeout', 'the registry does not answer'],
  'bad-manifest': ['internal', 'the manifest is not valid JSON'],
  'wrong-platform': ['not-found', 'no manifest for linux/amd64'],
  signature: ['denied', 'a signature was required, but no signature exists'],
  'disk-full': ['exhausted', 'no space left on device'],
};

function failedPull(failure: PullFailure, image: string, reason?: string): CriError {
  const [kind, text] = FAILURES[failure];
  const problem = { name: 'failed-pull', failure, image, ...(reason && { reason }) } as const;
  return new CriError(kind, `failed to pull image "${image}": ${reason ? `${text}: ${reason}` : text}`, {
    problem,
  });
}

/**
 * Parsed like containerd does (internal/cri/server/images/image_pull.go ParseAuth); throws unless they are those of the
 * rule.
 */
function checkCredentials(
  image: string,
  auth: AuthConfig | undefined,
  wanted: { readonly username: string; readonly password: string },
): void {
  const { serverAddress = '', username = '', password = '', auth: encoded = '' } = auth ?? {};
  // Docker Hub's registry has a different name from the one in its images.
  const host = image.slice(0, image.indexOf('/')).replace(/^docker\.io$/, 'registry-1.docker.io');
  if (serverAddress !== '' && hostOf(serverAddress, image) !== host) throw failedPull('unauthorized', image);
  if (username === '' && encoded === '') throw failedPull('unauthorized', image);
  const given = username === '' ? decoded(encoded, image) : { username, password };
  if (given.username !== wanted.username || given.password !== wanted.password)
    throw failedPull('wrong-credentials', image);
}

/** The host that Go's url.Parse finds: none without a scheme, which is all before a colon. */
function hostOf(address: string, image: string): string {
  const [, scheme, host = ''] = /^(?:([a-z][a-z\d+.-]*):)?(?:\/\/([^/]*))?/i.exec(address) ?? [];
  if (scheme === undefined && /^[^/]*:/.test(address)) {
    const reason = `parse server address: parse ${JSON.stringify(address)}: first path segment in URL cannot contain colon`;
    throw failedPull('malformed-credentials', image, reason);
  }
  return host;
}

/** Decodes `user:password` from base64. Like ParseAuth, it drops NULs at the end of the password. */
function decoded(encoded: string, image: string) {
  const wrong = (reason: string) => failedPull('malformed-credentials', image, reason);
  const at = encoded.search(/[^A-Za-z0-9+/=]/);
  if (at >= 0) throw wrong(`illegal base64 data at input byte ${at}`);
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  // Go's buffer has zeros where the padding was.
  const buffer = text + '\0'.repeat(encoded.split('=').length - 1);
  if (colon < 0)
    throw wrong(`invalid decoded auth: ${JSON.stringify(buffer).replaceAll('\\u0000', '\\x00')}`);
  return { username: text.slice(0, colon), password: text.slice(colon + 1).replace(/^\0+|\0+$/g, '') };
}
