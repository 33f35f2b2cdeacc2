import { createServer } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { PassThrough } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createMemoryBackend, type MemoryOptions } from '../../../adapters/memory/memory-backend.js';
import { createRealClock } from '../../../src/base/clock/real-clock.js';
import { type IpAddress, parseIpAddress, parseIpRange } from '../../../src/base/input/ip-address.js';
import { SimulatedNetwork } from '../../../src/base/network/network.js';
import { createRealNetwork, parsePermission } from '../../../src/base/network/real-network.js';
import { checkGrpc } from '../../../src/kubelet/probes/grpc-handler.js';
import { checkHttp, checkTcp } from '../../../src/kubelet/probes/handlers.js';
import { createHookRequest } from '../../../src/kubelet/probes/hook-request.js';
import { createRuntime } from '../../../src/runtime/engine/runtime.js';
import { callDirectly } from '../../property/cri.js';
import { aContainer, aPod } from '../../support/kubelet/objects.js';
import { inUrl, SPELLINGS } from '../../support/network/spellings.js';

/** A server of this machine at all of its addresses, which nothing simulated may reach. */
const victim = createServer((_, reply) => reply.end('secret'));
let port = 0;
let connections = 0;

beforeAll(async () => {
  victim.on('connection', () => {
    connections++;
  });
  await new Promise<void>((resolve) => victim.listen(0, '::', resolve));
  ({ port } = victim.address() as AddressInfo);
});
afterAll(() => void victim.close());
beforeEach(() => {
  connections = 0;
});

/** All of the world is allowed: this machine is not of it. */
const real = createRealNetwork(
  ['0.0.0.0/0', '::/0']
    .flatMap((text) => parseIpRange(text) ?? [])
    .map((range) => ({ range, port: undefined })),
);

const metadata = ['fd00:ec2::254', 'fd20:ce::254', '168.63.129.16', '100.100.100.200', '192.0.0.192'];

test.each([
  ...['127.0.0.1', '127.64.0.9', '169.254.169.254', '224.0.0.1', '::1', 'fe80::1', 'ff02::1'],
  ...metadata,
])('%s is not allowed, whatever is', (text) =>
  expect(real.permits(parseIpAddress(text) as IpAddress, 80)).toBe(false),
);

test.each([...metadata, '169.254.169.254'])('%s cannot be allowed', (text) =>
  expect(parsePermission(text)).toContain('never reached'),
);

test('an address of another machine is allowed', () =>
  expect(real.permits(parseIpAddress('192.0.2.7') as IpAddress, 80)).toBe(true));

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** A pod in real time; answers what a script prints there. */
async function startPod(isHost: boolean, options: Partial<MemoryOptions> = {}, portMappings: object[] = []) {
  const clock = createRealClock();
  const network = new SimulatedNetwork({ clock, real });
  const backend = createMemoryBackend({ clock, network, place: 'attack', pullLatency: 0, ...options });
  const runtime = await createRuntime({ backend, clock });
  const cri = callDirectly(runtime.service);
  await cri.pullImage({ image: { image: 'busybox:1' } });
  const sandboxConfig = {
    metadata: { name: 'web', uid: 'u', namespace: 'default', attempt: 0 },
    portMappings,
    ...(isHost && { linux: { securityContext: { namespaceOptions: { network: 2 } } } }),
  };
  const { podSandboxId } = await cri.runPodSandbox({ config: sandboxConfig });
  const config = {
    metadata: { name: 'c', attempt: 0 },
    image: { image: 'busybox:1' },
    command: ['sleep', '1000'],
  };
  const { containerId } = await cri.createContainer({ podSandboxId, config, sandboxConfig });
  await cri.startContainer({ containerId });
  ends.push(() => cri.removePodSandbox({ podSandboxId }));
  const run = async (script: string): Promise<string> => {
    const { stdout, stderr } = await cri.execSync({ containerId, cmd: ['sh', '-c', script], timeout: 60n });
    return `${Buffer.from(stdout)}${Buffer.from(stderr)}`;
  };
  return { backend, podSandboxId, run, network, clock };
}

const pods = [
  ['in its own network', false],
  ['in the network of the host', true],
] as const;

/** A command for each way to connect, with HOST and PORT; `spell` says how a host stands in it. */
const ATTACKS: Readonly<
  Record<string, { readonly line: string; readonly spell?: (host: string) => string }>
> = {
  wget: { line: 'wget -q -T 5 -O - http://HOST:PORT/', spell: inUrl },
  curl: { line: 'curl -s -m 5 http://HOST:PORT/', spell: inUrl },
  nc: { line: 'echo | nc -w 5 HOST PORT' },
  'nc -z': { line: 'nc -zv -w 5 HOST PORT' },
  'a name in /etc/hosts': {
    line: 'echo "HOST n$((++i))" >>/etc/hosts; wget -q -T 5 -O - http://n$i:PORT/',
  },
  'a proxy': { line: 'http_proxy=http://HOST:PORT curl -s -m 5 http://192.0.2.1.invalid/', spell: inUrl },
  'a user in a URL': { line: 'curl -s -m 5 "http://127.64.0.9@HOST:PORT/"', spell: inUrl },
};

test.each(
  pods.flatMap(([kind, isHost]) =>
    Object.entries(ATTACKS).map(([name, attack]) => [kind, name, isHost, attack] as const),
  ),
)('a pod %s does not reach this machine: %s', async (_, __, isHost, { line, spell = (host) => host }) => {
  const { run } = await startPod(isHost);
  const lines = SPELLINGS.map((host) =>
    line.replaceAll('HOST', spell(host)).replaceAll('PORT', String(port)),
  );
  const said = await run(`i=0; ${lines.join('\n')}`);
  expect(said).not.toContain('secret');
  expect(connections).toBe(0);
});

test('a redirection does not lead to this machine', async () => {
  const { run } = await startPod(false);
  const answers = SPELLINGS.map((host, index) => {
    const answer = `HTTP/1.0 302 Found\\r\\nLocation: http://${inUrl(host)}:${port}/\\r\\n\\r\\n`;
    const at = 8000 + index;
    return `printf '${answer}' >/a${at}; nc -l -p ${at} </a${at} >/dev/null & wget -q -T 5 -O - http://127.0.0.1:${at}/; kill $!
nc -l -p ${at} </a${at} >/dev/null & curl -s -L -m 5 http://127.0.0.1:${at}/; kill $!`;
  });
  expect(await run(answers.join('\n'))).not.toContain('secret');
  expect(connections).toBe(0);
});

test.each(pods)('port-forward to a pod %s does not reach this machine', async (_, isHost) => {
  const { backend, podSandboxId } = await startPod(isHost);
  const { signal } = new AbortController();
  await expect(
    backend.portForward?.(podSandboxId, port, new PassThrough(), { signal } as never),
  ).rejects.toThrow('ECONNREFUSED');
  expect(connections).toBe(0);
});

test.each(SPELLINGS)('probes and hooks of %s don’t reach this machine', async (host) => {
  const clock = createRealClock();
  const by = { clock, network: new SimulatedNetwork({ clock, real }) };
  const httpGet = { path: '/', port, scheme: 'HTTP', httpHeaders: [], host } as const;
  const check = { ...by, host, port, timeout: 5000, userAgent: '' };
  const hook = createHookRequest(by, { event: () => {} }, '1.36');
  expect(await checkTcp(by, host, port, 5000)).toMatchObject({ result: 'failure' });
  await expect(hook({ httpGet }, undefined, aContainer(), aPod())).rejects.toThrow();
  // A zone makes no URL.
  if (!host.includes('%'))
    expect(await checkHttp({ ...check, get: httpGet })).toMatchObject({ result: 'failure' });
  await checkGrpc({ ...check, service: '', timeout: 1 });
  expect(connections).toBe(0);
});

test('a pod’s port is not that of another program at its address', async () => {
  const { run, backend, podSandboxId } = await startPod(false);
  const ip = /127\.\d+\.\d+\.\d+/.exec(await run('hostname -i'))?.[0] ?? '';
  const other = createTcpServer((socket) => {
    connections++;
    socket.end('secret');
  });
  await new Promise<void>((resolve) => other.listen(0, ip, resolve));
  ends.push(() => new Promise((resolve) => other.close(resolve)));
  const { port: taken } = other.address() as AddressInfo;
  await run(`nc -w 5 ${ip} ${taken}; wget -q -T 5 -O - http://127.0.0.1:${taken}`);
  const { signal } = new AbortController();
  await expect(
    backend.portForward?.(podSandboxId, taken, new PassThrough(), { signal } as never),
  ).rejects.toThrow('ECONNREFUSED');
  expect(connections).toBe(0);
});

async function freePort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: free } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return free;
}

/** Whether this machine takes connections at an address. */
const isOpen = (host: string, at: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(at, host, () => resolve(socket.destroy() !== undefined));
    socket.once('error', () => resolve(false));
  });

test.each([
  ['pods', false],
  ['all', true],
] as const)(
  'with ports of %s on the machine, host ports are on its loopback: %s',
  async (machinePorts, isOnLoopback) => {
    const hostPort = await freePort();
    const { run } = await startPod(false, { machinePorts }, [{ containerPort: 80, hostPort }]);
    await run('httpd -p 80 -h /tmp');
    const beyond = Object.values(networkInterfaces()).flatMap((all = []) =>
      all.filter(({ internal }) => !internal),
    );
    for (const { address } of beyond) expect(await isOpen(address, hostPort)).toBe(false);
    expect(await isOpen('127.0.0.1', hostPort)).toBe(isOnLoopback);
    expect(await run('wget -q -O - http://127.0.0.1:80/none')).toContain('404');
  },
);
