import type { Clock } from '../../clock/clock.js';
import type { KubeObjects } from '../../kubelet/kube-objects.js';
import type { ApiClient } from '../api/api-client.js';
import { apiPath } from '../api/api-path.js';

/** The fields of authentication.k8s.io/v1 TokenRequest that a node reads. */
interface ApiTokenRequest {
  readonly status: { readonly token: string; readonly expirationTimestamp: string };
}

interface Kept {
  readonly content: Promise<Buffer>;
  /** When another one is asked for, in ms of the clock's `elapsed`. */
  refreshAt: number;
}

/** A token is replaced after this part of its life, and after a day (pkg/kubelet/token/token_manager.go). */
const PART_OF_LIFE = 0.8;
const LONGEST = 24 * 3600_000;
/** How often those that nobody asked for any more are looked for, in ms. */
const CLEANING = 60_000;

/** Tokens of the pods' service accounts, requested when a pod needs them, and again before they expire. */
export function createTokenCache(api: ApiClient, clock: Clock): Pick<KubeObjects, 'token'> {
  const kept = new Map<string, Kept>();
  let cleaned = 0;

  const clean = (now: number): void => {
    if (now - cleaned < CLEANING) return;
    cleaned = now;
    for (const [key, { refreshAt }] of kept) if (refreshAt <= now) kept.delete(key);
  };

  return {
    token: (pod, { audience, expirationSeconds }) => {
      const { name, namespace, uid } = pod.metadata;
      const now = clock.elapsed();
      clean(now);
      const key = `${uid}/${audience}/${expirationSeconds}`;
      const known = kept.get(key);
      if (known !== undefined && now < known.refreshAt) return clock.idle(known.content);
      const account = pod.spec.serviceAccountName ?? 'default';
      const asked = api.request({
        method: 'POST',
        path: apiPath`/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`,
        body: () => ({
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenRequest',
          spec: {
            audiences: audience === '' ? [] : [audience],
            expirationSeconds,
            boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name, uid },
          },
        }),
      }) as Promise<ApiTokenRequest>;
      const entry: Kept = {
        refreshAt: Infinity,
        content: asked.then(({ status }) => {
          const life = Date.parse(status.expirationTimestamp) - Number(clock.now() / 1_000_000n);
          entry.refreshAt = clock.elapsed() + Math.min(LONGEST, life * PART_OF_LIFE);
          return Buffer.from(status.token);
        }),
      };
      kept.set(key, entry);
      entry.content.catch(() => kept.delete(key));
      return entry.content;
    },
  };
}
