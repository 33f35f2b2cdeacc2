import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, expect, test } from 'vitest';
import { selfSigned } from '../../src/base/certificates/keyed-certificate.js';
import { createRealClock } from '../../src/base/clock/real-clock.js';
import { nodeSubject } from '../../src/cluster/certificates/node-identities.js';
import { createApiObjects } from '../../src/kubelet/api-server/objects.js';
import { startApiServer } from '../../src/kubelet/api-server/server.js';
import { commandLine } from '../support/program.js';
import { useTemporaryDirectory } from '../support/temporary.js';
import { isThorough } from '../support/thorough.js';

const slow = test.runIf(isThorough);

const directory = useTemporaryDirectory();
const servers = new Set<Server>();
const children = new Set<ChildProcess>();
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  servers.clear();
});

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** An API server that answers so. Resolves with its URL. */
async function serve(
  handler: Handler,
  tls?: { readonly cert: string; readonly key: string },
): Promise<string> {
  const server = tls === undefined ? createServer(handler) : createHttpsServer(tls, handler);
  servers.add(server as Server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http${tls === undefined ? '' : 's'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const refuse: Handler = (_, response) => {
  response.writeHead(401);
  response.end(JSON.stringify({ kind: 'Status', reason: 'Unauthorized', message: 'Unauthorized' }));
};
/** Is there, and never says anything. */
const silent: Handler = () => {};

function kubeconfig(server: string): string {
  const file = join(directory, 'config');
  const config = {
    kind: 'Config',
    'current-context': 'a',
    contexts: [{ name: 'a', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user: { token: 'x' } }],
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}

/** Where nothing listens: no system gives this port to a program by itself. */
const NOWHERE = 'http://127.0.0.1:1';

interface Ended {
  readonly code: number | null;
  /** What would have kept the process alive. */
  readonly left: readonly string[];
  readonly stderr: string;
  readonly ready: boolean;
}

/** Runs `mockri node` until it ends by itself, or until `stop` sees a line of its output. */
async function run(args: readonly string[], stop: (line: string) => boolean, env = {}): Promise<Ended> {
  const flags = ['node', '--log-format', 'json', '--kubelet-port', '0', '--node-ip', '127.0.0.1', ...args];
  const child = spawn(process.execPath, ['test/support/what-is-left.mjs', ...commandLine(...flags)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  children.add(child);
  const ended = once(child, 'exit');
  let [stderr, stdout] = ['', ''];
  const read = (line: string) => {
    if (stop(line)) child.kill('SIGTERM');
  };
  createInterface(child.stdout).on('line', (line) => {
    stdout += `${line}\n`;
    read(line);
  });
  createInterface(child.stderr).on('line', (line) => {
    stderr += `${line}\n`;
    read(line);
  });
  const [code] = (await ended) as [number | null];
  const { left } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Pick<Ended, 'left'>;
  return { code, left, stderr, ready: stdout.includes('"ready":true') };
}

const never = () => false;
/** The process is at work, and has told that it waits. */
const waits = (line: string) => line.includes('trying again until it answers');
const runs = (line: string) => line.includes('"ready":true');

slow.each(['node', 'account'])(
  'waits for an unreachable API server, and ends immediately after SIGTERM (%s)',
  async (identity) => {
    const args = ['--kubeconfig', kubeconfig(NOWHERE), '--control', 'off', '--identity', identity];
    const { code, left, ready } = await run(args, waits);
    expect({ code, left, ready }).toEqual({ code: 0, left: [], ready: false });
  },
);

test('it is ready when its node is registered, and ends immediately after SIGTERM', async () => {
  const objects = createApiObjects();
  const api = await startApiServer({ objects, clock: createRealClock() });
  const args = ['--kubeconfig', kubeconfig(api.url), '--control', 'off', '--identity', 'account'];
  let registered = false;
  const { code, left, ready } = await run([...args, '--kubelet-certificate', 'self-signed'], (line) => {
    registered ||= objects.get('/api/v1/nodes/mock-0') !== undefined;
    return runs(line);
  });
  api.close();
  expect({ code, left, ready, registered }).toEqual({ code: 0, left: [], ready: true, registered: true });
});

slow.each(['node', 'account'])('an API server that never answers does not keep it (%s)', async (identity) => {
  const args = ['--kubeconfig', kubeconfig(await serve(silent)), '--control', 'off', '--identity', identity];
  const { code, left, ready } = await run([...args, '--wait', 'false'], runs);
  expect({ code, left, ready }).toEqual({ code: 0, left: [], ready: true });
});

slow.each(['node', 'account'])(
  'Unauthorized ends it with exit code 1, and what to do (%s)',
  async (identity) => {
    const args = [
      '--kubeconfig',
      kubeconfig(await serve(refuse)),
      '--control',
      'off',
      '--identity',
      identity,
    ];
    const { code, left, stderr, ready } = await run(args, never);
    expect({ code, left, ready }).toEqual({ code: 1, left: [], ready: false });
    expect(stderr).toMatch(
      /Unauthorized: it does not take the credentials; check the user of the kubeconfig/,
    );
  },
);

slow('a certificate that is not trusted ends it with exit code 1, and what to do', async () => {
  const tls = selfSigned(nodeSubject('x', ['127.0.0.1']), Number(createRealClock().now() / 1_000_000n));
  const args = ['--kubeconfig', kubeconfig(await serve(refuse, tls)), '--control', 'off'];
  const { code, left, stderr } = await run(args, never);
  expect({ code, left }).toEqual({ code: 1, left: [] });
  expect(stderr).toMatch(/its certificate is not trusted .*; give its authority as certificate-authority/);
});

slow('a fault file that is not there ends it', async () => {
  const missing = join(directory, 'nope.yaml');
  const args = ['--kubeconfig', kubeconfig(await serve(silent)), '--control', 'off', '--faults', missing];
  const { code, left, stderr } = await run(args, never);
  expect({ code, left }).toEqual({ code: 2, left: [] });
  expect(stderr).toContain('nope.yaml');
});

slow('a control address that is in use ends it', async () => {
  const used = new URL(await serve(silent)).host;
  const args = ['--kubeconfig', kubeconfig(await serve(silent)), '--control', used];
  const { code, left, stderr } = await run(args, never);
  expect({ code, left }).toEqual({ code: 1, left: [] });
  expect(stderr).toContain(used);
});

slow('KUBECONFIG is used as kubectl does', async () => {
  const file = kubeconfig(await serve(refuse));
  const { code, stderr } = await run(['--control', 'off'], never, { KUBECONFIG: `${file}.nope:${file}` });
  expect(code).toBe(1);
  expect(stderr).toContain('Unauthorized');
});
