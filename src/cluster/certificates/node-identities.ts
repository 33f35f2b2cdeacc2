import { z } from 'zod';
import type { CertificateSubject } from '../../base/certificates/certificate.js';
import type { KeyedCertificate } from '../../base/certificates/keyed-certificate.js';
import type { Clock } from '../../base/clock/clock.js';
import { messageOf } from '../../base/input/error-text.js';
import { UserError } from '../../base/input/user-error.js';
import { jitter, type Random } from '../../base/random/random.js';
import type { ApiClient, ClientOf } from '../api/api-client.js';
import { isForbidden, isTemporary } from '../api/api-error.js';
import type { Signer } from './signer.js';

export interface NodeIdentities {
  /** `node`: each node sees and changes only its own objects. `account`: one account acts for all nodes. */
  readonly kind: 'node' | 'account';
  /** Acts for a node, once `ready` has resolved. */
  readonly clientOf: ClientOf;
  /** Resolves when the node may act. Rejects with UserError if it never will. */
  ready(node: string): Promise<void>;
  /** The first node that may act: it makes requests that concern no particular node. */
  readonly first: Promise<ActingNode>;
}

export interface ActingNode {
  readonly node: string;
  readonly client: ApiClient;
}

/** The kubeconfig's account acts for all nodes. `node` is one of them. */
export const accountForAll = (account: ApiClient, node: string): NodeIdentities => ({
  kind: 'account',
  clientOf: () => account,
  ready: async () => {},
  first: Promise.resolve({ node, client: account }),
});

export interface IdentityOptions {
  /** Requests the first certificate of each node, and a new one if the API server no longer accepts it. */
  readonly account: ApiClient;
  readonly signer: Signer;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly log: (message: string) => void;
}

/** The user of a kubelet: the Node authorizer and NodeRestriction know nodes by this name. */
export const nodeSubject = (node: string, hosts: readonly string[] = []): CertificateSubject => ({
  commonName: `system:node:${node}`,
  organization: 'system:nodes',
  hosts,
});

/** Concurrent requests of one node: a TLS connection for each. */
const CONNECTIONS = 4;
/** Fraction of a certificate's lifetime before its renewal, and its variation (client-go certificate_manager.go). */
const RENEW_AT = 0.7;
const RENEW_JITTER = 0.2;
/** In ms after a failure; doubles up to the last. */
const FIRST_PAUSE = 1000;
const LAST_PAUSE = 300_000;
/** In ms: a certificate newer than this is not the reason for a refusal, so no other one is requested. */
const LEAST_AGE = 60_000;

/** In ms, between the two checks of the nodes' rights. */
const RIGHTS_PAUSE = 500;

interface Identity {
  readonly client: ApiClient;
  readonly begin: () => Promise<void>;
}

/** Each node is its own user, with a certificate requested at its start. Keys stay in memory. */
export function createNodeIdentities(options: IdentityOptions): NodeIdentities {
  const identities = new Map<string, Identity>();
  const of = (node: string): Identity => {
    const known = identities.get(node) ?? openIdentity(node, options);
    identities.set(node, known);
    return known;
  };
  let toldAccount: Promise<boolean> | undefined;
  let rights: Promise<boolean> | undefined;
  let isFirst: (acting: ActingNode) => void = () => {};
  const first = new Promise<ActingNode>((resolve) => {
    isFirst = resolve;
  });
  return {
    kind: 'node',
    clientOf: (node) => of(node).client,
    ready: async (node) => {
      const { client, begin } = of(node);
      // The same result holds for all of them. Without a controller manager there is never a certificate to ask with.
      toldAccount ??= demandRights(node, options, options.account, true);
      const [isTold] = await Promise.all([toldAccount, begin()]);
      rights ??= isTold ? toldAccount : demandRights(node, options, client, false);
      await rights;
      isFirst({ node, client });
    },
    first,
  };
}

/**
 * The Node authorizer lets each node register itself. Without it (as in envtest) a node has no rights, unless somebody
 * granted them to its group. Asks twice, and rejects with UserError if the answer stays no; false if the API server
 * does not answer this client.
 */
async function demandRights(
  node: string,
  { clock, signal }: IdentityOptions,
  client: ApiClient,
  isAboutOther: boolean,
): Promise<boolean> {
  const ask = () => mayRegister(client, isAboutOther ? node : undefined);
  const first = await ask();
  if (first !== false) return first ?? false;
  await clock.sleep(RIGHTS_PAUSE, signal);
  if ((await ask()) !== false) return true;
  throw new UserError(
    `system:node:${node} may not create nodes: the API server has no Node authorizer. Use --identity account, or start the API server with --authorization-mode=Node,RBAC`,
  );
}

/** About a node, or the client itself; undefined if the API server does not say. */
function mayRegister(client: ApiClient, node: string | undefined): Promise<boolean | undefined> {
  const kind = node === undefined ? 'SelfSubjectAccessReview' : 'SubjectAccessReview';
  const user = node !== undefined && {
    user: nodeSubject(node).commonName,
    groups: ['system:nodes', 'system:authenticated'],
  };
  const spec = { ...user, resourceAttributes: { verb: 'create', resource: 'nodes' } };
  return client
    .request({
      method: 'POST',
      path: `/apis/authorization.k8s.io/v1/${kind.toLowerCase()}s`,
      body: () => ({ apiVersion: 'authorization.k8s.io/v1', kind, spec }),
    })
    .then(
      (answer) => reviewSchema.safeParse(answer).data?.status.allowed,
      () => undefined,
    );
}

const reviewSchema = z.object({ status: z.object({ allowed: z.boolean() }) });

function openIdentity(node: string, options: IdentityOptions): Identity {
  const { account, signer, clock, signal, log } = options;
  const random = options.random.fork(node);
  let certificate: KeyedCertificate | undefined;
  let obtainedAt = 0;
  let obtaining: Promise<void> | undefined;

  /** Repeats until there is a certificate. If a node's own request fails, the account requests it. */
  const obtain = async (asker: ApiClient): Promise<void> => {
    for (let as = asker, pause = FIRST_PAUSE; ; as = account, pause = Math.min(LAST_PAUSE, pause * 2)) {
      try {
        certificate = await signer.sign({
          as,
          subject: nodeSubject(node),
          signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
        });
        obtainedAt = clock.elapsed();
        const life = certificate.expires - Number(clock.now() / 1_000_000n);
        const part = RENEW_AT + RENEW_JITTER * random.next();
        clock.setTimer(Math.max(life * part, LEAST_AGE), () => {
          renew(client).catch(() => {});
        });
        return;
      } catch (error) {
        signal.throwIfAborted();
        const text = messageOf(error);
        if (certificate === undefined && isForbidden(error))
          throw new UserError(
            `no certificate for node ${node}: ${text}; bind the account to the ClusterRole system:node-bootstrapper, or use --identity account`,
          );
        if (!isTemporary(error) || pause > FIRST_PAUSE) log(`certificate of node ${node}: ${text}`);
        await clock.sleep(jitter(random, pause, 1), signal);
      }
    }
  };
  const renew = (as: ApiClient): Promise<void> => {
    obtaining ??= clock
      .run(() => obtain(as))
      .finally(() => {
        obtaining = undefined;
      });
    return obtaining;
  };

  const client: ApiClient = account.as(
    {
      proof: async () => ({ certificate }),
      refused: () => {
        if (clock.elapsed() - obtainedAt > LEAST_AGE) renew(account).catch(() => {});
      },
    },
    CONNECTIONS,
  );
  return { client, begin: () => renew(account) };
}
