import { createHmac, randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock/clock.js';
import type { KubeObjects } from '../../kubelet/index.js';
import { toTime } from '../../kubelet/kubernetes/time.js';
import { accountOf, type IssueToken } from '../objects/token-cache.js';

/** ConfigMap that the root CA publisher of the controller manager writes into every namespace. */
const ROOT_CA = 'kube-root-ca.crt';
const AUDIENCE = 'https://kubernetes.default.svc.cluster.local';

/** Tokens with the claims of the API server's, signed with a key of this process: no server accepts them. */
export function localTokens(clock: Clock): IssueToken {
  const key = randomBytes(32);
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  return async ({ metadata: { name, namespace, uid }, spec }, { audience, expirationSeconds }) => {
    const account = accountOf(spec);
    const now = clock.now();
    const iat = Number(now / 1_000_000_000n);
    const expires = now + BigInt(expirationSeconds) * 1_000_000_000n;
    const claims = {
      aud: [audience || AUDIENCE],
      exp: iat + expirationSeconds,
      iat,
      nbf: iat,
      iss: AUDIENCE,
      sub: `system:serviceaccount:${namespace}:${account}`,
      'kubernetes.io': { namespace, pod: { name, uid }, serviceaccount: { name: account } },
    };
    const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
    const signature = createHmac('sha256', key).update(signed).digest('base64url');
    return { token: `${signed}.${signature}`, expirationTimestamp: toTime(expires) };
  };
}

/** The ConfigMap with the API server's CA, if it is missing. */
export const withRootCa =
  (data: KubeObjects['data'], ca: string): KubeObjects['data'] =>
  async (kind, namespace, name) => {
    const found = await data(kind, namespace, name);
    const isMissing = found === undefined && kind === 'configMap' && name === ROOT_CA;
    return isMissing ? new Map([['ca.crt', Buffer.from(ca)]]) : found;
  };
