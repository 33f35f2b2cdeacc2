import { X509Certificate } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../clock/clock.js';
import type { ApiClient } from '../api/api-client.js';
import { ApiError } from '../api/api-error.js';
import { certificateRequest, createKey, type Subject, selfSignedCertificate } from './certificate.js';

/** A certificate and its key, in PEM. */
export interface ServingCertificate {
  readonly cert: string;
  readonly key: string;
  /** Unix milliseconds. */
  readonly expires: number;
}

const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const SIGNER = 'kubernetes.io/kubelet-serving';
/** In ms: between two looks at a request that waits to be signed. */
const POLL_PERIOD = 1000;
const YEAR = 365 * 24 * 3_600_000;

const requestSchema = z.object({
  metadata: z.object({ name: z.string() }),
  status: z
    .object({
      certificate: z.string().optional(),
      conditions: z.array(z.object({ type: z.string(), message: z.string().optional() })).optional(),
    })
    .optional(),
});

/** Signs its own certificate, as a kubelet without serverTLSBootstrap. Clients can't verify it. */
export function selfSigned(subject: Subject, now: number): ServingCertificate {
  const keys = createKey();
  const expires = now + YEAR;
  const cert = selfSignedCertificate(keys, subject, { from: now - 60_000, to: expires });
  return { cert, key: keyPem(keys.privateKey), expires };
}

/** What signing by the cluster needs. */
export interface SigningOptions {
  readonly api: ApiClient;
  readonly clock: Clock;
  readonly subject: Subject;
  readonly signal: AbortSignal;
  readonly log: (message: string) => void;
}

/**
 * Has the cluster sign a certificate, as a kubelet with serverTLSBootstrap. Nothing in Kubernetes approves such a
 * request by itself: this does it, if it has the right to; else it waits until somebody does. Rejects when the request
 * is denied, or fails.
 */
export async function signedByCluster({
  api,
  clock,
  subject,
  signal,
  log,
}: SigningOptions): Promise<ServingCertificate> {
  const keys = createKey();
  const body = {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { generateName: 'mockri-' },
    spec: {
      request: Buffer.from(certificateRequest(keys, subject)).toString('base64'),
      signerName: SIGNER,
      usages: ['digital signature', 'server auth'],
    },
  };
  const created = await api.request({ method: 'POST', path: REQUESTS, body: () => body });
  const { name } = requestSchema.parse(created).metadata;
  await approve(api, name, created as object, log);
  for (;;) {
    const { status } = requestSchema.parse(await api.request({ method: 'GET', path: `${REQUESTS}/${name}` }));
    const refused = status?.conditions?.find(({ type }) => type === 'Denied' || type === 'Failed');
    if (refused !== undefined)
      throw new Error(`CertificateSigningRequest ${name} is ${refused.type}: ${refused.message ?? ''}`);
    if (status?.certificate !== undefined) {
      const cert = Buffer.from(status.certificate, 'base64').toString();
      return { cert, key: keyPem(keys.privateKey), expires: Date.parse(new X509Certificate(cert).validTo) };
    }
    await clock.sleep(POLL_PERIOD, signal);
  }
}

async function approve(api: ApiClient, name: string, created: object, log: (message: string) => void) {
  const message = 'Mockri approves the certificate of its own kubelet server.';
  const conditions = [{ type: 'Approved', status: 'True', reason: 'MockriApproved', message }];
  const body = { ...created, status: { conditions } };
  try {
    await api.request({ method: 'PUT', path: `${REQUESTS}/${name}/approval`, body: () => body });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 403) throw error;
    log(`may not approve its own certificate; run: kubectl certificate approve ${name}`);
  }
}

const keyPem = (key: ReturnType<typeof createKey>['privateKey']): string =>
  key.export({ type: 'pkcs8', format: 'pem' }).toString();
