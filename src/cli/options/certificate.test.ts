import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CERTIFICATE, KEY } from '../../../test/integration/streaming/certificate.js';
import { useTemporaryDirectory } from '../../../test/support/temporary.js';
import { createKey } from '../../base/certificates/certificate.js';
import { readCertificate } from './certificate.js';

const directory = useTemporaryDirectory();
const OTHER_KEY = createKey().privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

function file(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

it('reads a certificate with its key', () => {
  const [cert, key] = [file('cert.pem', CERTIFICATE), file('key.pem', KEY)];
  expect(readCertificate('--streaming', cert, key)).toEqual({ cert: CERTIFICATE, key: KEY });
});

it.each([
  ['x', KEY, '--streaming-tls-cert CERT: expected a certificate in PEM'],
  [CERTIFICATE, 'x', '--streaming-tls-key KEY: expected a private key in PEM, without a password'],
  [CERTIFICATE, OTHER_KEY, '--streaming-tls-key KEY: it is not the key of the certificate CERT'],
])('names what is wrong', (certificate, ownKey, problem) => {
  const [cert, key] = [file('wrong-cert.pem', certificate), file('wrong-key.pem', ownKey)];
  expect(() => readCertificate('--streaming', cert, key)).toThrow(
    problem.replaceAll('CERT', cert).replace('KEY', key),
  );
});
