import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';
import {
  bits,
  flags,
  implicit,
  integer,
  octets,
  oid,
  sequence,
  set,
  tagged,
  utcTime,
  utf8,
  yes,
} from './der.js';

export interface CertificateSubject {
  readonly commonName: string;
  readonly organization: string;
  /** IP addresses and DNS names; empty for a client. */
  readonly hosts: readonly string[];
}

export function createKey(): { readonly privateKey: KeyObject; readonly publicKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

/** Its signatures have the same length each time; browsers don't support it. */
export const createEd25519Key = (): Keys => generateKeyPairSync('ed25519');

type Keys = ReturnType<typeof createKey>;

/** A certificate signing request (PKCS #10, RFC 2986) in PEM. */
export function certificateRequest(keys: Keys, subject: CertificateSubject): string {
  const names = () => sequence(oid('1.2.840.113549.1.9.14'), set(sequence(alternativeNames(subject.hosts))));
  const attributes = subject.hosts.length === 0 ? tagged(0) : tagged(0, names());
  const info = sequence(integer(0), nameOf(subject), publicKeyOf(keys), attributes);
  return pem('CERTIFICATE REQUEST', signed(info, keys));
}

/** A self-signed server certificate (RFC 5280) in PEM. Times are in Unix ms. */
export function selfSignedCertificate(
  keys: Keys,
  subject: CertificateSubject,
  validity: { readonly from: number; readonly to: number; readonly isAuthority?: boolean },
): string {
  const name = nameOf(subject);
  const digitalSignature = extension('2.5.29.15', flags(0x80, 7), true);
  const serverAuth = extension('2.5.29.37', sequence(oid('1.3.6.1.5.5.7.3.1')));
  const authority = validity.isAuthority ? [extension('2.5.29.19', sequence(yes), true)] : [];
  const content = sequence(
    tagged(0, integer(2)),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithmOf(keys).id,
    name,
    sequence(utcTime(validity.from), utcTime(validity.to)),
    name,
    publicKeyOf(keys),
    tagged(3, sequence(...authority, digitalSignature, serverAuth, alternativeNames(subject.hosts))),
  );
  return pem('CERTIFICATE', signed(content, keys));
}

const ECDSA = { id: sequence(oid('1.2.840.10045.4.3.2')), digest: 'sha256' };
const ED25519 = { id: sequence(oid('1.3.101.112')), digest: null };

const algorithmOf = ({ privateKey }: Keys) => (privateKey.asymmetricKeyType === 'ec' ? ECDSA : ED25519);

const publicKeyOf = ({ publicKey }: Keys): Buffer => publicKey.export({ type: 'spki', format: 'der' });

function signed(content: Buffer, keys: Keys): Buffer {
  const { id, digest } = algorithmOf(keys);
  return sequence(content, id, bits(sign(digest, content, keys.privateKey)));
}

const nameOf = ({ commonName, organization }: CertificateSubject): Buffer =>
  sequence(
    set(sequence(oid('2.5.4.10'), utf8(organization))),
    set(sequence(oid('2.5.4.3'), utf8(commonName))),
  );

const extension = (id: string, value: Buffer, isCritical = false): Buffer =>
  sequence(oid(id), ...(isCritical ? [yes] : []), octets(value));

const alternativeNames = (hosts: readonly string[]): Buffer =>
  extension(
    '2.5.29.17',
    sequence(
      ...hosts.map((host) => (isIP(host) ? implicit(7, addressBytes(host)) : implicit(2, Buffer.from(host)))),
    ),
  );

/** The bytes of an IP address. */
function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  // The URL parser writes the last two groups of ::ffff:127.0.0.1 in hexadecimal.
  const [before = '', after] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text = '') => (text === '' ? [] : text.split(':'));
  const [head, tail] = [groups(before), groups(after)];
  const all = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}

function pem(label: string, content: Buffer): string {
  const lines = content.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
