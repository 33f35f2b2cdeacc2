import type { KeyObject } from 'node:crypto';
import { type CertificateSubject, createKey, selfSignedCertificate } from './certificate.js';

export interface KeyedCertificate {
  readonly cert: string;
  readonly key: string;
  /** Unix ms. */
  readonly expires: number;
}

const YEAR = 365 * 24 * 3_600_000;

/** Self-signed, like a kubelet without serverTLSBootstrap. Clients can't verify it. */
export function selfSigned(subject: CertificateSubject, now: number): KeyedCertificate {
  const keys = createKey();
  const expires = now + YEAR;
  const cert = selfSignedCertificate(keys, subject, { from: now - 60_000, to: expires });
  return { cert, key: keyPem(keys.privateKey), expires };
}

/** PKCS #8. */
export const keyPem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();
