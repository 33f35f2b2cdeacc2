/**
 * Every kind of failing pull from a registry in this process: prints what a runtime and Mockri with its profile answer, and
 * exits with 1 if they differ.
 *
 * usage: tsx pulls.ts ENDPOINT CERTS PROFILE [FAILURE...]   CERTS is the runtime's directory of registries (certs.d)
 */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { selfSigned } from '../../../../src/base/certificates/keyed-certificate.js';
import { connectCri } from '../../../../src/cri/client/connect.js';
import { type PullFailure, pullFailures } from '../../../../src/cri/errors.js';
import { type AuthConfig, AuthConfig as AuthConfigs } from '../../../../src/cri/gen/runtime/v1/api.js';
import { codeName } from '../../../../src/cri/status-code.js';
import { type RuntimeProfileChoice, startMockri } from '../../../../src/testing/index.js';

const [endpoint = '', certs = '', profile = '', ...only] = process.argv.slice(2);
const wanted = pullFailures.filter((failure) => only.length === 0 || only.includes(failure));

const OCI = 'application/vnd.oci.image';
const digestOf = (content: Buffer): string => `sha256:${createHash('sha256').update(content).digest('hex')}`;

/** Content by digest. */
const blobs = new Map<string, { readonly bytes: Buffer; readonly mediaType: string }>();

function stored(content: Buffer | object, mediaType: string) {
  const bytes = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
  const blob = { mediaType: `${OCI}.${mediaType}`, digest: digestOf(bytes), size: bytes.length };
  blobs.set(blob.digest, { ...blob, bytes });
  return blob;
}

/** A tar archive with one file of zeros. */
function archive(size: number): Buffer {
  const header = Buffer.alloc(512);
  const put = (text: string, at: number) => header.write(text, at);
  put('zeros', 0);
  put('0000644\0', 100);
  put('0000000\0', 108);
  put('0000000\0', 116);
  put(`${size.toString(8).padStart(11, '0')}\0`, 124);
  put('00000000000\0', 136);
  put(' '.repeat(8), 148);
  put('0', 156);
  put('ustar\x0000', 257);
  put(
    `${header
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
  );
  return Buffer.concat([header, Buffer.alloc(size + 1024)]);
}

function image(size: number) {
  const layer = archive(size);
  const rootfs = { type: 'layers', diff_ids: [digestOf(layer)] };
  const config = stored({ architecture: 'amd64', os: 'linux', config: {}, rootfs }, 'config.v1+json');
  const layers = [stored(gzipSync(layer), 'layer.v1.tar+gzip')];
  return stored(
    { schemaVersion: 2, mediaType: `${OCI}.manifest.v1+json`, config, layers },
    'manifest.v1+json',
  );
}

function otherPlatform() {
  const platform = { architecture: 'arm64', os: 'windows' };
  const manifests = [{ ...image(512), platform }];
  return stored({ schemaVersion: 2, mediaType: `${OCI}.index.v1+json`, manifests }, 'index.v1+json');
}

const MANIFESTS: Partial<Record<PullFailure, () => ReturnType<typeof stored>>> = {
  'bad-manifest': () => stored(Buffer.from('{oops'), 'manifest.v1+json'),
  'wrong-platform': otherPlatform,
  signature: () => image(512),
  'disk-full': () => image(200 << 20),
};

const STATUS: Partial<Record<PullFailure, number>> = {
  denied: 403,
  unauthorized: 401,
  'wrong-credentials': 401,
  'malformed-credentials': 401,
  unavailable: 503,
  'too-many-requests': 429,
};

const AUTH: Partial<Record<PullFailure, Partial<AuthConfig>>> = {
  'wrong-credentials': { username: 'me', password: 'wrong' },
  'malformed-credentials': { auth: 'no base64!' },
};

const tls = selfSigned({ commonName: 'registry', organization: '', hosts: ['127.0.0.1'] }, Date.now());
const registry = createHttpsServer(tls, (message, response) => {
  const [, failure = '', kind, name = ''] = /^\/v2\/([^/]+)\/x\/(\w+)\/(.*)$/.exec(message.url ?? '') ?? [];
  const status = STATUS[failure as PullFailure];
  const manifest = MANIFESTS[failure as PullFailure];
  if (status) {
    response.writeHead(status, status === 401 ? { 'WWW-Authenticate': 'Basic realm="registry"' } : {}).end();
    return;
  }
  const digest = kind === 'manifests' && name === '1' ? manifest?.().digest : name;
  const { bytes, mediaType } = blobs.get(digest ?? '') ?? {};
  if (!bytes) return void response.writeHead(404).end();
  response.writeHead(200, {
    'Content-Type': mediaType,
    'Content-Length': bytes.length,
    'Docker-Content-Digest': digest,
  });
  response.end(message.method === 'HEAD' ? undefined : bytes);
});

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  mkdirSync(join(certs, host), { recursive: true });
  const text = `server = "https://${host}"\n[host."https://${host}"]\n  skip_verify = true\n`;
  writeFileSync(join(certs, host, 'hosts.toml'), text);
  return host;
}

const silent = createServer((socket) => void socket.on('error', () => {}).resume());
const gone = createServer();
const hosts = {
  registry: await listening(registry),
  silent: await listening(silent),
  gone: await listening(gone),
};
await new Promise((resolve) => gone.close(resolve));
const referenceOf = (failure: PullFailure): string => {
  const host = failure === 'timeout' ? hosts.silent : failure === 'unreachable' ? hosts.gone : hosts.registry;
  return `${host}/${failure}/x:1`;
};

const asked = (failure: PullFailure) => !/-credentials$|^unauthorized$/.test(failure);
const mockri = await startMockri({
  profile: profile as RuntimeProfileChoice,
  images: wanted.map((failure) => ({
    match: referenceOf(failure),
    ...(asked(failure) ? { fail: failure } : { auth: { username: 'me', password: 'right' } }),
  })),
});
const runtime = connectCri(endpoint);

async function answer(client: Pick<typeof runtime, 'pullImage'>, failure: PullFailure): Promise<string> {
  const auth = AUTH[failure] && AuthConfigs.fromPartial(AUTH[failure]);
  try {
    await client.pullImage({ image: { image: referenceOf(failure) }, ...(auth && { auth }) });
    return 'OK';
  } catch (error) {
    const { code, details } = error as { code: number; details: string };
    return `${codeName(code)} ${details}`;
  }
}

/** Ids and directories of one run. */
const plain = (text: string): string =>
  text
    .replace(/sha256:[0-9a-f]{64}/g, 'sha256:ID')
    .replace(/\/\S*\/tmpmounts\/[^/: ]+/g, '/…/N')
    .replace(/(write \/…\/N)[^: ]+/, '$1/FILE')
    .replace(/ to \w+ as "extract-\S+/, ' to SNAPSHOTTER as "KEY');

let differ = 0;
for (const failure of wanted) {
  const [real, ours] = [await answer(runtime, failure), await answer(mockri.client, failure)].map(plain);
  const isSame = real === ours;
  if (!isSame) differ++;
  console.log(`${isSame ? '=' : '≠'} ${failure}\n    ${real}${isSame ? '' : `\n    ${ours}`}`);
}
runtime.close();
await mockri.close();
registry.closeAllConnections();
for (const server of [registry, silent]) server.close();
process.exit(differ === 0 ? 0 : 1);
