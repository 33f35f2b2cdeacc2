import type { Clock } from '../../../src/base/clock/clock.js';
import { globMatches } from '../../../src/base/input/glob.js';
import { CriError, type ErrorKind, invalid, notFound } from '../../../src/cri/errors.js';
import type { AuthConfig } from '../../../src/cri/gen/runtime/v1/api.js';
import {
  formatImageReference,
  type ImageReference,
  parseImageReference,
} from '../../../src/cri/image-reference.js';
import type { ImageBackend } from '../../../src/runtime/engine/backend/images.js';
import type { ImageStore, StoredImage } from './image-store.js';

/** A rule for pulls of matching references; the first match counts. */
export interface PullRule {
  /** A glob over the normalized reference. */
  readonly match: string;
  /** In ms. */
  readonly latency?: number | undefined;
  readonly fail?: { readonly kind: ErrorKind; readonly message: string } | undefined;
  /** Pulls without these credentials are denied. */
  readonly auth?: { readonly username: string; readonly password: string } | undefined;
}

/** The first rule that matches an image counts; without one it is pulled after `latency`. */
export interface PullOptions {
  readonly clock: Clock;
  readonly rules: readonly PullRule[];
  /** In ms; above 0, so that a deadline can come before it. */
  readonly latency: number;
  readonly store: ImageStore;
}

export function createPulls({ clock, rules, latency, store }: PullOptions): ImageBackend['pull'] {
  const underWay = new Map<string, Promise<StoredImage>>();

  const fetch = async (reference: ImageReference, auth: AuthConfig | undefined, signal: AbortSignal) => {
    const name = formatImageReference(reference);
    const rule = rules.find(({ match }) => globMatches(match, name));
    await clock.sleep(rule?.latency ?? latency, signal);
    if (rule?.auth && !isAuthorized(auth, rule.auth)) {
      throw new CriError('denied', `failed to pull image "${name}": unauthorized: authentication required`);
    }
    if (rule?.fail) throw new CriError(rule.fail.kind, rule.fail.message);
    if (isNowhere(reference)) throw notFound(`failed to resolve reference "${name}": ${name}: not found`);
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

  return async ({ image, auth }, { signal }) => {
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
    const key = `${formatImageReference(reference)} ${JSON.stringify(auth ?? null)}`;
    return (await join(key, () => fetch(reference, auth, signal), signal)).id;
  };
}

/** Names of images that never exist, for tests of clients; no registry has a name below `invalid` (RFC 6761). */
const isNowhere = ({ repository }: ImageReference): boolean =>
  /^(localhost\/(wrong|no-such-image)$|invalid\.registry\.k8s\.io\/|[^/]+\.invalid(:\d+)?\/)/.test(
    repository,
  );

function isAuthorized(
  given: AuthConfig | undefined,
  wanted: { username: string; password: string },
): boolean {
  if (given === undefined) return false;
  const encoded = Buffer.from(`${wanted.username}:${wanted.password}`).toString('base64');
  return given.auth === encoded || (given.username === wanted.username && given.password === wanted.password);
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
