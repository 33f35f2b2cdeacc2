import { X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { type KeyedCertificate, selfSigned } from '../../base/certificates/keyed-certificate.js';
import type { Clock, Timer } from '../../base/clock/clock.js';
import type { ApiClient } from '../api/api-client.js';
import { type NodeIdentities, nodeSubject } from '../certificates/node-identities.js';
import type { Signer } from '../certificates/signer.js';
import type { Reviews } from './access.js';
import { type KubeletServer, startKubeletServer } from './server.js';

const tokenReview = z.object({
  status: z.object({
    authenticated: z.boolean().optional(),
    user: z
      .object({
        username: z.string(),
        uid: z.string().optional(),
        groups: z.array(z.string()).default([]),
        extra: z.record(z.string(), z.array(z.string())).optional(),
      })
      .optional(),
  }),
});
const accessReview = z.object({ status: z.object({ allowed: z.boolean() }) });

export type CertificateSource =
  | { readonly kind: 'cluster' | 'self-signed' }
  | { readonly kind: 'given'; readonly cert: string; readonly key: string };

export interface OpenOptions {
  readonly account: ApiClient;
  readonly identities: Pick<NodeIdentities, 'first'>;
  readonly signer: Signer;
  readonly clock: Clock;
  /** Listening address, such as 0.0.0.0. */
  readonly host: string;
  /** Where the API server reaches the nodes: IP addresses and DNS names. */
  readonly addresses: readonly string[];
  /** A node of this process, which a self-signed certificate names. */
  readonly nodeName: string;
  readonly certificate: CertificateSource;
  /** Allows everything to everybody, without asking the API server. */
  readonly anonymous: boolean;
  readonly log: (message: string) => void;
}

export interface OpenKubeletServer extends KubeletServer {
  /** Resolves when it has its final certificate. */
  readonly certified: Promise<void>;
}

/** Fraction of its lifetime after which a certificate is replaced (client-go certificate manager: 70 to 90 %). */
const RENEW_AT = 0.8;
/** In ms: retry interval after a failure. */
const RETRY = 10_000;
/** In ms: how often to read the client CA. */
const AUTHORITY_PERIOD = 600_000;

/**
 * Starts with a self-signed certificate until the cluster has signed one: the API server may be away, or somebody must
 * approve. Accepts client certificates once the cluster has published their CA.
 */
export function openKubeletServer(options: OpenOptions): OpenKubeletServer {
  const {
    account,
    identities,
    signer,
    clock,
    host,
    addresses,
    certificate: source,
    anonymous,
    log,
  } = options;
  const timers = new Set<Timer>();
  let isClosed = false;
  const now = () => Number(clock.now() / 1_000_000n);
  const later = (delay: number, action: () => Promise<void>): void => {
    if (isClosed) return;
    const timer = clock.setTimer(delay, () => {
      timers.delete(timer);
      return action();
    });
    timers.add(timer);
  };

  let certificate: KeyedCertificate =
    source.kind === 'given'
      ? { ...source, expires: Date.parse(new X509Certificate(source.cert).validTo) }
      : selfSigned(nodeSubject(options.nodeName, addresses), now());
  let clientCa: string | undefined;
  const access = anonymous
    ? { kind: 'anonymous' as const }
    : { kind: 'reviewed' as const, reviews: reviewsBy(async () => (await identities.first).client) };
  const server = startKubeletServer({ clock, host, tls: certificate, access, log });

  const obtain = async (): Promise<KeyedCertificate> => {
    if (source.kind !== 'cluster') return selfSigned(nodeSubject(options.nodeName, addresses), now());
    // The API server accepts such a request only from the node itself.
    const { node, client } = await clock.idle(identities.first);
    const subject = nodeSubject(node, addresses);
    return signer.sign({ as: client, subject, signerName: 'kubernetes.io/kubelet-serving' });
  };
  const renew = async (): Promise<void> => {
    try {
      certificate = await obtain();
      server.renew({ ...certificate, clientCa });
      renewLater();
    } catch (error) {
      if (isClosed) return;
      log(`kubelet server: no certificate from the cluster: ${(error as Error).message}`);
      later(RETRY, renew);
    }
  };
  const renewLater = (): void => later(Math.max((certificate.expires - now()) * RENEW_AT, RETRY), renew);

  let problem = '';
  const readAuthority = async (): Promise<void> => {
    try {
      const found = await clientAuthority(account);
      problem = '';
      if (found !== clientCa) server.renew({ ...certificate, clientCa: found });
      clientCa = found;
      later(AUTHORITY_PERIOD, readAuthority);
    } catch (error) {
      if (isClosed) return;
      const { message } = error as Error;
      if (message !== problem)
        log(`kubelet server: clients with a certificate are not known yet: ${message}`);
      problem = message;
      later(RETRY, readAuthority);
    }
  };
  if (!anonymous) void clock.run(readAuthority);
  const certified = source.kind === 'cluster' ? clock.run(renew) : Promise.resolve();
  if (source.kind === 'self-signed') renewLater();

  return {
    ...server,
    certified,
    close: () => {
      isClosed = true;
      for (const timer of timers) timer.cancel();
      return server.close();
    },
  };
}

/** Lets the API server authenticate tokens and authorize users. `reviewer` returns the client to use. */
function reviewsBy(reviewer: () => Promise<ApiClient>): Reviews {
  const ask = async (group: string, kind: string, spec: object) =>
    (await reviewer()).request({
      method: 'POST',
      path: `/apis/${group}/v1/${kind.toLowerCase()}s`,
      body: () => ({ apiVersion: `${group}/v1`, kind, spec }),
    });
  return {
    authenticate: async (token) => {
      const { status } = tokenReview.parse(await ask('authentication.k8s.io', 'TokenReview', { token }));
      return status.authenticated === true ? status.user : undefined;
    },
    authorize: async ({ username, ...user }, { verb, node, subresource }) => {
      const resourceAttributes = { verb, version: 'v1', resource: 'nodes', subresource, name: node };
      const spec = { ...user, user: username, resourceAttributes };
      return accessReview.parse(await ask('authorization.k8s.io', 'SubjectAccessReview', spec)).status
        .allowed;
    },
  };
}

const authentication = z.object({ data: z.record(z.string(), z.string()).default({}) });

/** The CA of the API server's clients, which the API server publishes for extension servers. */
async function clientAuthority(api: ApiClient): Promise<string | undefined> {
  const path = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
  const { data } = authentication.parse(await api.request({ method: 'GET', path }));
  return data['client-ca-file'];
}
