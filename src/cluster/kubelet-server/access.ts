import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '../../base/clock/clock.js';
import { Problem } from '../../runtime/control/problem.js';
import { createReviewCache } from './review-cache.js';

/** authentication.k8s.io/v1 UserInfo. */
export interface User {
  readonly username: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** Attributes of a request for the authorizer. */
export interface NodeAccess {
  readonly verb: string;
  readonly node: string;
  readonly subresource: string;
}

export interface Reviews {
  /** TokenReview; undefined if the token is not one of this cluster. */
  readonly authenticate: (token: string) => Promise<User | undefined>;
  /** SubjectAccessReview. */
  readonly authorize: (user: User, access: NodeAccess) => Promise<boolean>;
}

export type Access =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'reviewed'; readonly reviews: Reviews };

/** Throws Problem: 401, 403 or 500. */
export type CheckAccess = (message: IncomingMessage, pathname: string, node: string) => Promise<void>;

/** In ms, as in KubeletConfiguration: authentication.webhook.cacheTTL, authorization.webhook.cache…TTL. */
const TOKEN_TTL = 120_000;
const ALLOWED_TTL = 300_000;
const DENIED_TTL = 30_000;

/** Authenticates and authorizes like the kubelet in webhook mode (server.go InstallAuthFilter). */
export function createAccessCheck(access: Access, clock: Clock): CheckAccess {
  if (access.kind === 'anonymous') return async () => {};
  const { reviews } = access;
  const tokens = createReviewCache(clock, reviews.authenticate, (user) =>
    user === undefined ? 0 : TOKEN_TTL,
  );
  const decisions = createReviewCache(
    clock,
    (key) => reviews.authorize(...(JSON.parse(key) as [User, NodeAccess])),
    (allowed) => (allowed ? ALLOWED_TTL : DENIED_TTL),
  );

  const authenticate = async (message: IncomingMessage): Promise<User | undefined> => {
    const user = certificateUser(message.socket as TLSSocket);
    if (user !== undefined) return user;
    const [, token] = /^Bearer +(\S+)$/i.exec(message.headers.authorization ?? '') ?? [];
    return token === undefined ? undefined : tokens.get(token).catch(() => undefined);
  };

  return async (message, pathname, node) => {
    const user = await authenticate(message);
    if (user === undefined) throw new Problem(401, 'Unauthorized');
    const verb = VERBS[message.method ?? ''] ?? '';
    const subresources = subresourcesOf(pathname);
    for (const subresource of subresources) {
      const decision = decisions.get(JSON.stringify([user, { verb, node, subresource }]));
      const allowed = await decision.catch(() => {
        const what = `user=${user.username}, verb=${verb}, resource=nodes, subresource=${subresource}`;
        throw new Problem(500, `Authorization error (${what})`);
      });
      if (allowed) return;
    }
    throw new Problem(
      403,
      `Forbidden (user=${user.username}, verb=${verb}, resource=nodes, subresource(s)=[${subresources.join(' ')}])\n`,
    );
  };
}

/** The user of a client certificate signed by the cluster's authority: common name and organizations. */
function certificateUser(socket: TLSSocket): User | undefined {
  if (!socket.authorized) return undefined;
  const { subject } = socket.getPeerCertificate();
  if (subject?.CN === undefined) return undefined;
  // Repeated names are a list, contrary to Node's types.
  const groups = [subject.O ?? []].flat();
  return { username: [subject.CN].flat().join('+'), groups };
}

const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** Subresources of the node, any of which suffices (auth.go GetRequestAttributes, KEP-2862). */
function subresourcesOf(pathname: string): readonly string[] {
  const [, first = ''] = pathname.split('/');
  return SUBRESOURCES[first] ?? ['proxy'];
}

const SUBRESOURCES: Readonly<Record<string, readonly string[]>> = {
  pods: ['pods', 'proxy'],
  runningpods: ['pods', 'proxy'],
  healthz: ['healthz', 'proxy'],
  configz: ['configz', 'proxy'],
  stats: ['stats'],
  metrics: ['metrics'],
  logs: ['log'],
  checkpoint: ['checkpoint'],
};
