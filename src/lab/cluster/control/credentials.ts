import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEd25519Key, selfSignedCertificate } from '../../../base/certificates/certificate.js';
import { keyPem } from '../../../base/certificates/keyed-certificate.js';
import type { VirtualClock } from '../../../base/clock/virtual-clock.js';

/** The last year that a certificate's UTCTime can name: Node verifies it in real time. */
const FOREVER = Date.UTC(2049, 0, 1);
const HOSTS = [
  '127.0.0.1',
  '10.0.0.1',
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
];

/** Files of an API server: its certificate, which clients also trust as CA, keys, and a token for each user. */
export interface Credentials {
  /** PEM. */
  readonly ca: string;
  /** Of the certificate, in PEM. */
  readonly key: string;
  /** Throws for a user that has none. */
  readonly tokenOf: (user: string) => string;
  readonly files: Readonly<Record<'cert' | 'key' | 'accountKey' | 'accountPublicKey' | 'tokens', string>>;
}

/** `users`: their groups, by name. */
export function writeCredentials(
  directory: string,
  clock: VirtualClock,
  users: ReadonlyMap<string, string>,
): Credentials {
  mkdirSync(directory);
  const write = (name: string, text: string): string => {
    const file = join(directory, name);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  };
  // Equal runs have equally long signatures.
  const keys = createEd25519Key();
  const subject = { commonName: 'kube-apiserver', organization: 'mockri', hosts: HOSTS };
  const ca = selfSignedCertificate(keys, subject, {
    from: Number(clock.now() / 1_000_000n) - 60_000,
    to: FOREVER,
    // The controllers publish it as a trust bundle, which holds authorities.
    isAuthority: true,
  });
  const key = keyPem(keys.privateKey);
  const account = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const tokens = new Map([...users.keys()].map((user) => [user, randomUUID()]));
  const tokenOf = (user: string): string => {
    const token = tokens.get(user);
    if (token === undefined) throw new Error(`${user} has no token`);
    return token;
  };
  const rows = [...users].map(
    ([user, group]) => `${[tokenOf(user), user, user, group].filter(Boolean).join()}\n`,
  );
  return {
    ca,
    key,
    tokenOf,
    files: {
      cert: write('apiserver.crt', ca),
      key: write('apiserver.key', key),
      accountKey: write('sa.key', keyPem(account.privateKey)),
      accountPublicKey: write('sa.pub', account.publicKey.export({ type: 'spki', format: 'pem' }).toString()),
      tokens: write('tokens.csv', rows.join('')),
    },
  };
}
