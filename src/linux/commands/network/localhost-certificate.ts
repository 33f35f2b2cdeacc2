import { createKey, selfSignedCertificate } from '../../../base/certificates/certificate.js';
import { keyPem } from '../../../base/certificates/keyed-certificate.js';

/** The certificate of agnhost's servers: clients that check it refuse it, as they refuse the real image's. */
let made: Readonly<Record<string, string>> | undefined;

const SUBJECT = { commonName: 'localhost', organization: 'Acme Co', hosts: ['localhost', '127.0.0.1'] };
const VALIDITY = { from: Date.UTC(2020), to: Date.UTC(2049) };

export function localhostCertificate(): Readonly<Record<string, string>> {
  if (made !== undefined) return made;
  const keys = createKey();
  made = {
    '/localhost.crt': selfSignedCertificate(keys, SUBJECT, VALIDITY),
    '/localhost.key': keyPem(keys.privateKey),
  };
  return made;
}

export function localhostKeys() {
  const files = localhostCertificate();
  return {
    cert: Buffer.from(files['/localhost.crt'] ?? ''),
    key: Buffer.from(files['/localhost.key'] ?? ''),
  };
}
