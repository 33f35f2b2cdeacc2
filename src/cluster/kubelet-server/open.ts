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
  /** Allows everything to every client, without asking the API server. */
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
 * Starts with a self-signed certificate until the cluster has signed one: the API server may be unreachable, or
 * somebody must approve the request. Accepts client certificates once the cluster has published their CA.
 */
export function openKubeletServer(options: OpenOptions): OpenKubeletServer {
  const { identities, clock, host, certificate: source, anonymous, log } = options;
  const tls = source.kind === 'given' ? givenCertificate(source) : ownCertificate(options);
  const access = anonymous
    ? { kind: 'anonymous' as const }
    : { kind: 'reviewed' as const, reviews: reviewsBy(async () => (await identities.first).client) };
  const server = startKubeletServer({ clock, host, tls, access, log });
  const upkeep = new Upkeep(options, server, tls);
  if (!anonymous) void clock.run(() => upkeep.readAuthority());
  if (source.kind === 'self-signed') upkeep.renewLater();
  return {
    ...server,
    certified: source.kind === 'cluster' ? clock.run(() => upkeep.renew()) : Promise.resolve(),
    close: () => {
      upkeep.close();
      return server.close();
    },
  };
}

const givenCertificate = ({ cert, key }: { cert: string; key: string }): KeyedCertificate => ({
  cert,
  key,
  expires: Date.parse(new X509Certificate(cert).validTo),
});

const now = (clock: Clock): number => Number(clock.now() / 1_000_000n);

const ownCertificate = ({ nodeName, addresses, clock }: OpenOptions): KeyedCertificate =>
  selfSigned(nodeSubject(nodeName, addresses), now(clock));

/** Keeps the certificate of a server valid, and the authority of its clients up to date. */
class Upkeep {
  readonly #options: OpenOptions;
  readonly #server: KubeletServer;
  readonly #timers = new Set<Timer>();
  #isClosed = false;
  #certificate: KeyedCertificate;
  #clientCa: string | undefined;
  /** The problem that the last check of the authority found. */
  #problem = '';

  constructor(options: OpenOptions, server: KubeletServer, certificate: KeyedCertificate) {
    this.#options = options;
    this.#server = server;
    this.#certificate = certificate;
  }

  async renew(): Promise<void> {
    try {
      this.#certificate = await this.#obtain();
      this.#server.renew({ ...this.#certificate, clientCa: this.#clientCa });
      this.renewLater();
    } catch (error) {
      if (this.#isClosed) return;
      this.#options.log(`kubelet server: no certificate from the cluster: ${(error as Error).message}`);
      this.#later(RETRY, () => this.renew());
    }
  }

  renewLater(): void {
    const left = this.#certificate.expires - now(this.#options.clock);
    this.#later(Math.max(left * RENEW_AT, RETRY), () => this.renew());
  }

  async readAuthority(): Promise<void> {
    try {
      const found = await clientAuthority(this.#options.account);
      this.#problem = '';
      if (found !== this.#clientCa) this.#server.renew({ ...this.#certificate, clientCa: found });
      this.#clientCa = found;
      this.#later(AUTHORITY_PERIOD, () => this.readAuthority());
    } catch (error) {
      if (this.#isClosed) return;
      const { message } = error as Error;
      if (message !== this.#problem)
        this.#options.log(`kubelet server: clients with a certificate are not known yet: ${message}`);
      this.#problem = message;
      this.#later(RETRY, () => this.readAuthority());
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const timer of this.#timers) timer.cancel();
  }

  async #obtain(): Promise<KeyedCertificate> {
    const { certificate, clock, identities, signer, addresses } = this.#options;
    if (certificate.kind !== 'cluster') return ownCertificate(this.#options);
    // The API server accepts such a request only from the node that it is for.
    const { node, client } = await clock.idle(identities.first);
    const subject = nodeSubject(node, addresses);
    return signer.sign({ as: client, subject, signerName: 'kubernetes.io/kubelet-serving' });
  }

  #later(delay: number, action: () => Promise<void>): void {
    if (this.#isClosed) return;
    const timer = this.#options.clock.setTimer(delay, () => {
      this.#timers.delete(timer);
      return action();
    });
    this.#timers.add(timer);
  }
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
