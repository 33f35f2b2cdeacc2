import type { Clock } from '../../base/clock/clock.js';
import type { KubeObjects } from '../../kubelet/index.js';
import type { Pod } from '../../kubelet/kubernetes/pod.js';
import type { TokenProjection } from '../../kubelet/kubernetes/volumes.js';
import type { ApiClient } from '../api/api-client.js';
import { apiPath } from '../api/api-path.js';

/** The fields of authentication.k8s.io/v1 TokenRequestStatus that a node reads. */
interface IssuedToken {
  readonly token: string;
  readonly expirationTimestamp: string;
}

export type IssueToken = (pod: Pod, source: TokenProjection) => Promise<IssuedToken>;

interface Kept {
  readonly content: Promise<Buffer>;
  /** When to request another one, and when this one expires, as the clock's `elapsed` (ms). */
  refreshAt: number;
  expiresAt: number;
}

/** Tokens of the API server, bound to the pod. */
export const requestToken =
  (api: ApiClient): IssueToken =>
  async ({ metadata: { name, namespace, uid }, spec }, { audience, expirationSeconds }) => {
    const { status } = (await api.request({
      method: 'POST',
      path: apiPath`/api/v1/namespaces/${namespace}/serviceaccounts/${accountOf(spec)}/token`,
      body: () => ({
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: {
          audiences: audience === '' ? [] : [audience],
          expirationSeconds,
          boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name, uid },
        },
      }),
    })) as { readonly status: IssuedToken };
    return status;
  };

export const accountOf = ({ serviceAccountName }: Pod['spec']): string => serviceAccountName || 'default';

/** A token is replaced after this fraction of its lifetime, and after a day (pkg/kubelet/token/token_manager.go). */
const PART_OF_LIFE = 0.8;
const LONGEST = 24 * 3600_000;
/** How often to remove expired ones, in ms. */
const CLEANING = 60_000;

/** Tokens of the pods' service accounts, requested when a pod needs them, and again before they expire. */
export function createTokenCache(issue: IssueToken, clock: Clock): Pick<KubeObjects, 'token'> {
  const kept = new Map<string, Kept>();
  let cleaned = 0;

  const clean = (now: number): void => {
    if (now - cleaned < CLEANING) return;
    cleaned = now;
    for (const [key, { expiresAt }] of kept) if (expiresAt <= now) kept.delete(key);
  };

  /** The last token stays in use while it is valid. */
  const withoutNew = (key: string, last: Kept | undefined, { message }: Error): Promise<Buffer> => {
    if (last === undefined) {
      kept.delete(key);
      throw new Error(`failed to fetch token: ${message}`);
    }
    kept.set(key, last);
    if (last.expiresAt <= clock.elapsed())
      throw new Error(`token ${key} expired and refresh failed: ${message}`);
    return last.content;
  };

  return {
    token: (pod, source) => {
      const now = clock.elapsed();
      const key = `${pod.metadata.uid}/${source.audience}/${source.expirationSeconds}`;
      const last = kept.get(key);
      if (last !== undefined && now < last.refreshAt) return clock.idle(last.content);
      clean(now);
      const issued = issue(pod, source).then(({ token, expirationTimestamp }) => {
        const life = Date.parse(expirationTimestamp) - Number(clock.now() / 1_000_000n);
        entry.expiresAt = clock.elapsed() + life;
        entry.refreshAt = clock.elapsed() + Math.min(LONGEST, life * PART_OF_LIFE);
        return Buffer.from(token);
      });
      const content = issued.catch((error: Error) => withoutNew(key, last, error));
      const entry: Kept = { content, refreshAt: Infinity, expiresAt: Infinity };
      kept.set(key, entry);
      return content;
    },
  };
}
