import { X509Certificate } from 'node:crypto';
import { z } from 'zod';
import type { Clock, Timer } from '../../clock/clock.js';
import type { ApiClient } from '../api/api-client.js';
import type { Subject } from '../certificates/certificate.js';
import { type ServingCertificate, selfSigned, signedByCluster } from '../certificates/serving-certificate.js';
import { reviewsBy } from './reviews.js';
import { type KubeletServer, startKubeletServer } from './server.js';

/** Where the server's certificate comes from. */
export type CertificateSource =
  | { readonly kind: 'cluster' | 'self-signed' }
  | { readonly kind: 'given'; readonly cert: string; readonly key: string };

/** What a kubelet server of a cluster needs. */
export interface OpenOptions {
  readonly api: ApiClient;
  readonly clock: Clock;
  /** Where to listen, such as 0.0.0.0. */
  readonly host: string;
  /** Where the API server reaches the nodes: IP addresses and DNS names. */
  readonly addresses: readonly string[];
  /** A node of this process: the certificate names it. */
  readonly nodeName: string;
  readonly certificate: CertificateSource;
  /** Lets everybody do everything, without asking the API server. */
  readonly anonymous: boolean;
  readonly log: (message: string) => void;
}

/** Share of its life after which a certificate is replaced (client-go certificate manager: 70 to 90 %). */
const RENEW_AT = 0.8;
/** In ms: until a renewal that failed is tried again. */
const RETRY = 10_000;
/** In ms: how long the start waits for the cluster to sign. */
const PATIENCE = 10_000;
/** The longest that Node's timers take. */
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * Starts the server, whose clients the cluster decides on. It signs its certificate itself until the cluster has: the
 * API server may be away, or somebody has to approve.
 */
export async function openKubeletServer(options: OpenOptions): Promise<KubeletServer> {
  const { api, clock, host, certificate: source, anonymous, log } = options;
  const stopped = new AbortController();
  const { signal } = stopped;
  const subject: Subject = {
    commonName: `system:node:${options.nodeName}`,
    organization: 'system:nodes',
    hosts: options.addresses,
  };
  const now = () => Number(clock.now() / 1_000_000n);
  const given: ServingCertificate | undefined =
    source.kind === 'given'
      ? { ...source, expires: Date.parse(new X509Certificate(source.cert).validTo) }
      : undefined;
  const obtain = async (): Promise<ServingCertificate> => {
    if (given !== undefined) return given;
    if (source.kind === 'self-signed') return selfSigned(subject, now());
    return signedByCluster({ api, clock, subject, signal, log });
  };
  const access = anonymous
    ? { kind: 'anonymous' as const }
    : { kind: 'reviewed' as const, reviews: reviewsBy(api) };
  const server = startKubeletServer({ clock, host, tls: given ?? selfSigned(subject, now()), access, log });

  let timer: Timer | undefined;
  const renew = async (): Promise<void> => {
    let next = RETRY;
    try {
      const clientCa = anonymous ? undefined : await clientAuthority(api);
      const certificate = await obtain();
      server.renew({ ...certificate, clientCa });
      next = Math.max((certificate.expires - now()) * RENEW_AT, RETRY);
    } catch (error) {
      if (signal.aborted) return;
      log(`kubelet server: no certificate from the cluster: ${(error as Error).message}`);
    }
    timer = clock.setTimer(Math.min(next, LONGEST_TIMER), renew);
  };
  await Promise.race([renew(), clock.sleep(PATIENCE, signal)]);

  return {
    ...server,
    close: () => {
      stopped.abort(new Error('the kubelet server is closed'));
      timer?.cancel();
      return server.close();
    },
  };
}

const authentication = z.object({ data: z.record(z.string(), z.string()).default({}) });

/** The authority of the API server's clients. The API server publishes it for servers that work on its behalf. */
async function clientAuthority(api: ApiClient): Promise<string | undefined> {
  const path = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
  const { data } = authentication.parse(await api.request({ method: 'GET', path }));
  return data['client-ca-file'];
}
