import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startNode } from '../../../test/support/cluster/node-rig.js';
import { eventually } from '../../../test/support/eventually.js';
import { useTemporaryDirectories } from '../../../test/support/temporary.js';
import { createRealClock } from '../../base/clock/real-clock.js';
import type { ApiClient } from '../api/api-client.js';
import { openKubeletServer } from './open.js';

const temporary = useTemporaryDirectories();
const openssl = spawnSync('openssl', ['version']).status === 0;

test.runIf(openssl)('clients are known by certificate before the server has its own', async () => {
  const directory = temporary();
  const [key, cert] = [join(directory, 'key'), join(directory, 'cert')];
  const extension = ['-addext', 'extendedKeyUsage=clientAuth'];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-subj',
      '/CN=somebody',
    ]
      .concat(extension)
      .concat(['-keyout', key, '-out', cert]),
    { stdio: 'ignore' },
  );
  const client = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  const asked: string[] = [];
  const account: ApiClient = {
    counts: { sent: 0, refused: 0, failed: 0 },
    waiting: 0,
    as: () => account,
    close: () => {},
    lines: () => Promise.reject(new Error('nothing to watch')),
    request: async ({ path, body }) => {
      if (path.endsWith('extension-apiserver-authentication'))
        return { data: { 'client-ca-file': client.cert } };
      asked.push(JSON.stringify(body?.()));
      return { status: { allowed: true } };
    },
  };
  const server = openKubeletServer({
    account,
    identities: { first: Promise.resolve({ node: 'mock-1', client: account }) },
    // Nobody approves.
    signer: { sign: () => new Promise(() => {}) },
    clock: createRealClock(),
    host: '127.0.0.1',
    addresses: ['127.0.0.1'],
    nodeName: 'mock-1',
    certificate: { kind: 'cluster' },
    anonymous: false,
    log: () => {},
  });
  const rig = await startNode(() => []);
  const port = await server.listen(0);
  server.serve(port, rig.node);
  const status = () =>
    new Promise((resolve, reject) => {
      request({ host: '127.0.0.1', port, path: '/pods', rejectUnauthorized: false, agent: false, ...client })
        .on('response', (answer) => resolve(answer.resume().statusCode))
        .on('error', reject)
        .end();
    });
  await eventually(status).toBe(200);
  expect(asked.join()).toContain('"user":"somebody"');
  await server.close();
  await rig.close();
});
