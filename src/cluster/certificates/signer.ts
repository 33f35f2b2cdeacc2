import { type KeyPairKeyObjectResult, X509Certificate } from 'node:crypto';
import { z } from 'zod';
import {
  type CertificateSubject,
  certificateRequest,
  createKey,
} from '../../base/certificates/certificate.js';
import { type KeyedCertificate, keyPem } from '../../base/certificates/keyed-certificate.js';
import type { Clock, Timer } from '../../base/clock/clock.js';
import type { Random } from '../../base/random/random.js';
import type { ApiClient } from '../api/api-client.js';
import { ApiError, isConflict } from '../api/api-error.js';
import { apiPath } from '../api/api-path.js';
import { type ApiObject, watchObjects } from '../api/watch-objects.js';

/** Signers of a cluster: the purpose of their certificates, and the option to do without. */
const SIGNERS = {
  'kubernetes.io/kube-apiserver-client-kubelet': { usage: 'client auth', without: '--identity account' },
  'kubernetes.io/kubelet-serving': {
    usage: 'server auth',
    without: '--kubelet-certificate self-signed',
  },
} as const;

export type SignerName = keyof typeof SIGNERS;

export interface SigningRequest {
  /** The account that starts a node, or the node itself. */
  readonly as: ApiClient;
  readonly subject: CertificateSubject;
  readonly signerName: SignerName;
}

export interface Signer {
  /** Resolves when the request has been approved and the certificate issued. Rejects when it is denied. */
  sign(request: SigningRequest): Promise<KeyedCertificate>;
}

export interface SignerOptions {
  /** Watches the requests, and approves the pending ones if it may. */
  readonly account: ApiClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly log: (message: string) => void;
}

interface Waiting {
  readonly signerName: SignerName;
  /** As the clock's `elapsed`, in ms. */
  readonly since: number;
  readonly resolve: (cert: string) => void;
  readonly reject: (error: Error) => void;
}

const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
/** In ms: the controller manager approves client certificates; nothing in Kubernetes approves server certificates. */
const APPROVE_AFTER = 1000;
/** In ms: when to log what is missing, the first time and again. */
const TELL_AFTER = 30_000;
const TELL_AGAIN = 600_000;

const requestSchema = z.object({
  metadata: z.object({ name: z.string() }),
  status: z
    .object({
      certificate: z.string().optional(),
      conditions: z.array(z.object({ type: z.string(), message: z.string().optional() })).optional(),
    })
    .default({}),
});
type Status = z.output<typeof requestSchema>['status'];

function tellOf(late: readonly (readonly [string, SignerName])[], known: ReadonlyMap<string, Status>) {
  const texts: string[] = [];
  for (const [signerName, { without }] of Object.entries(SIGNERS))
    for (const isApproved of [false, true]) {
      const names = late.flatMap(([name, signer]) =>
        signer === signerName && (has(known.get(name), 'Approved') !== undefined) === isApproved
          ? [name]
          : [],
      );
      const [first] = names;
      if (first === undefined) continue;
      const which =
        names.length === 1
          ? `CertificateSigningRequest ${first} is`
          : `${names.length} CertificateSigningRequests, such as ${first}, are`;
      texts.push(
        isApproved
          ? `${which} approved but not issued: does the controller manager sign for ${signerName}? ${without} does without`
          : `${which} not approved: kubectl certificate approve ${names.slice(0, 3).join(' ')}${names.length > 3 ? ' …' : ''}; ${without} does without`,
      );
    }
  return texts;
}

const requestObject = (keys: KeyPairKeyObjectResult, { subject, signerName }: SigningRequest): object => ({
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { generateName: `mockri-${subject.commonName.replace(/^.*:/, '')}-` },
  spec: {
    request: Buffer.from(certificateRequest(keys, subject)).toString('base64'),
    signerName,
    usages: ['digital signature', SIGNERS[signerName].usage],
  },
});

const has = (status: Status | undefined, type: string) =>
  status?.conditions?.find((condition) => condition.type === type);

/** Approves requests with the account's rights. */
function createApprover(account: ApiClient, log: (message: string) => void) {
  /** Signers for which the account may not approve. */
  const refused = new Set<SignerName>();
  return async (name: string, created: object, signerName: SignerName): Promise<void> => {
    if (refused.has(signerName)) return;
    const message = 'Mockri approves the certificates of the nodes that it runs.';
    const conditions = [{ type: 'Approved', status: 'True', reason: 'MockriApproved', message }];
    const body = { ...created, status: { conditions } };
    try {
      await account.request({ method: 'PUT', path: REQUESTS + apiPath`/${name}/approval`, body: () => body });
    } catch (error) {
      if (!(error instanceof ApiError)) return;
      // Another client may approve it; if none has after a while, the log says so.
      if (error.code === 403) refused.add(signerName);
      // Somebody else has decided in the meantime.
      else if (!isConflict(error))
        log(`CertificateSigningRequest ${name} can't be approved: ${error.message}`);
    }
  };
}

/** One watch of the requests while any wait. */
export function createSigner({ account, clock, random, signal, log }: SignerOptions): Signer {
  const waiting = new Map<string, Waiting>();
  const known = new Map<string, Status>();
  const approve = createApprover(account, log);
  let watch: AbortController | undefined;
  let telling: Timer | undefined;

  const end = (name: string): void => {
    waiting.delete(name);
    if (waiting.size > 0) return;
    watch?.abort();
    watch = undefined;
    known.clear();
    telling?.cancel();
    telling = undefined;
  };

  const settle = (name: string): void => {
    const status = known.get(name);
    const one = waiting.get(name);
    const no = has(status, 'Denied') ?? has(status, 'Failed');
    if (one === undefined || status === undefined) return;
    if (no === undefined && status.certificate === undefined) return;
    end(name);
    if (status.certificate !== undefined) one.resolve(Buffer.from(status.certificate, 'base64').toString());
    else one.reject(new Error(`CertificateSigningRequest ${name} is ${no?.type}: ${no?.message ?? ''}`));
  };

  const seen = (object: unknown): void => {
    const { metadata, status } = requestSchema.parse(object);
    known.set(metadata.name, status);
    settle(metadata.name);
  };

  const startWatch = (): void => {
    if (watch !== undefined) return;
    watch = new AbortController();
    const options = {
      api: account,
      clock,
      random: random.fork('requests'),
      path: REQUESTS,
      signal: AbortSignal.any([watch.signal, signal]),
      listed: (all: readonly ApiObject[]) => all.forEach(seen),
      changed: seen,
      removed: ({ metadata: { name } }: ApiObject) => {
        waiting.get(name)?.reject(new Error(`CertificateSigningRequest ${name} was deleted`));
        if (waiting.has(name)) end(name);
      },
      log,
    };
    void clock.run(() => watchObjects(options));
  };

  const tell = (): void => {
    telling = clock.setTimer(TELL_AGAIN, tell);
    const late = [...waiting].filter(([, { since }]) => clock.elapsed() - since >= TELL_AFTER);
    for (const text of tellOf(
      late.map(([name, { signerName }]) => [name, signerName]),
      known,
    ))
      log(text);
  };

  const issued = (name: string, created: object, signerName: SignerName): Promise<string> =>
    new Promise((resolve, reject) => {
      waiting.set(name, { signerName, since: clock.elapsed(), resolve, reject });
      startWatch();
      telling ??= clock.setTimer(TELL_AFTER, tell);
      clock.setTimer(APPROVE_AFTER, async () => {
        if (waiting.has(name) && !has(known.get(name), 'Approved')) await approve(name, created, signerName);
      });
      settle(name);
    });

  return {
    sign: async (request) => {
      const { as, signerName } = request;
      const keys = createKey();
      const body = requestObject(keys, request);
      const created = await as.request({ method: 'POST', path: REQUESTS, body: () => body });
      const { name } = requestSchema.parse(created).metadata;
      const cert = await clock.idle(issued(name, created as object, signerName));
      return { cert, key: keyPem(keys.privateKey), expires: Date.parse(new X509Certificate(cert).validTo) };
    },
  };
}
