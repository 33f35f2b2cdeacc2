import { once } from 'node:events';
import { type AddressInfo, createServer, Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { turn } from '../../src/base/clock/turn.js';
import { checkGrpc } from '../../src/kubelet/probes/grpc-handler.js';
import { checkHttp, checkTcp } from '../../src/kubelet/probes/handlers.js';
import type { ProbeOutcome } from '../../src/kubelet/probes/outcome.js';
import { dialer } from '../support/kubelet/probe-targets.js';
import { createTestNode, type TestNode } from '../support/runtime/memory-node.js';

/** More turns of the event loop than any wait for a socket. */
const LATE = 1000;

/** Simulates a busy machine: the kernel reports a connection long after it was made. */
beforeEach(() => {
  const { emit } = Server.prototype;
  vi.spyOn(Server.prototype, 'emit').mockImplementation(function (
    this: Server,
    event: string,
    ...given: unknown[]
  ) {
    if (event !== 'connection' || !this.listening) return emit.call(this, event as 'drop', ...(given as []));
    void later(() => emit.call(this, event as 'drop', ...(given as [])));
    return true;
  });
});
const running: TestNode[] = [];
afterEach(async () => {
  for (const { call, cri, podSandboxId } of running.splice(0))
    await call(() => cri.stopPodSandbox({ podSandboxId }));
  vi.restoreAllMocks();
});

async function later(call: () => void): Promise<void> {
  for (let turns = 0; turns < LATE; turns++) await turn();
  call();
}

/** A pod whose container runs a script, and its address. */
async function podWith(script: string, annotations: Record<string, string> = {}) {
  const node = await createTestNode({ pod: { annotations } });
  running.push(node);
  const id = await node.container({ command: ['sh', '-c', script], logPath: 'log', annotations });
  await node.clock.advance(1000);
  const { status } = await node.cri.podSandboxStatus({ podSandboxId: node.podSandboxId });
  return { ...node, id, host: status?.network?.ip ?? '' };
}

/** Result of a probe, and its duration in ms on the clock. */
async function probe({ clock }: TestNode, check: () => Promise<ProbeOutcome>) {
  const start = clock.elapsed();
  const found = clock.run(async () => {
    const outcome = await check();
    return { ...outcome, took: clock.elapsed() - start };
  });
  await clock.advance(20_000);
  return found;
}

/** End of the server in seconds, as recorded by its script. */
async function ended({ call, cri, id }: TestNode & { id: string }): Promise<bigint> {
  const { stdout } = await call(() => cri.execSync({ containerId: id, cmd: ['cat', '/ended'], timeout: 0n }));
  return BigInt(Buffer.from(stdout).toString().trim());
}

const get = { path: '/index.html', port: 80, scheme: 'HTTP', httpHeaders: [] } as const;
const userAgent = 'kube-probe/1.36';

describe('in virtual time a probe does not depend on the load of the machine', () => {
  test('httpGet', async () => {
    const pod = await podWith('mkdir /www; echo fine >/www/index.html; httpd -f -p 80 -h /www');
    const check = { ...dialer(pod.clock), get, host: pod.host, port: 80, timeout: 1000, userAgent };
    expect(await probe(pod, () => checkHttp(check))).toEqual({ result: 'success', output: 'fine', took: 0 });
  });

  test('httpGet of a server that needs five seconds ends after its timeout', async () => {
    const pod = await podWith(
      String.raw`nc -ll -p 80 -e sh -c 'sleep 5; printf "HTTP/1.0 200 OK\r\n\r\nlate"'`,
    );
    const ask = (timeout: number) =>
      probe(pod, () =>
        checkHttp({ ...dialer(pod.clock), get, host: pod.host, port: 80, timeout, userAgent }),
      );
    expect(await ask(1000)).toMatchObject({ result: 'failure', took: 1000 });
    expect(await ask(6000)).toEqual({ result: 'success', output: 'late', took: 5000 });
  });

  test('httpGet over TLS to a server without TLS', async () => {
    const pod = await podWith('httpd -f -p 80');
    const check = {
      ...dialer(pod.clock),
      get: { ...get, scheme: 'HTTPS' as const },
      host: pod.host,
      port: 80,
    };
    expect(await probe(pod, () => checkHttp({ ...check, timeout: 1000, userAgent }))).toEqual({
      result: 'failure',
      output: `Get "https://${pod.host}:80/index.html": http: server gave HTTP response to HTTPS client`,
      took: 0,
    });
  });

  test('tcpSocket: the server detects a short connection immediately', async () => {
    const pod = await podWith('nc -l -p 80; date +%s >/ended; sleep 1000');
    const began = pod.clock.now();
    const check = () => checkTcp(dialer(pod.clock), pod.host, 80, 1000);
    expect(await probe(pod, check)).toEqual({ result: 'success', output: '', took: 0 });
    expect(await ended(pod)).toBe(began / 1_000_000_000n);
    const refused = {
      result: 'failure',
      output: `dial tcp ${pod.host}:80: connect: connection refused`,
      took: 0,
    };
    expect(await probe(pod, check)).toEqual(refused);
  });

  test('a server of another process at a pod’s address does not interfere', async () => {
    const foreign = createServer((connection) => connection.end('HTTP/1.0 200 OK\r\n\r\nforeign'));
    // A port that nothing else on this machine has, such as another simulation.
    await once(foreign.listen(0, '127.64.0.1'), 'listening');
    const { port } = foreign.address() as AddressInfo;
    const pod = await podWith(`mkdir /www; echo own >/www/index.html; sleep 10; httpd -f -p ${port} -h /www`);
    expect(pod.host).toBe('127.64.0.1');
    const check = { ...dialer(pod.clock), get: { ...get, port }, host: pod.host, port, userAgent };
    const ask = () => probe(pod, () => checkHttp({ ...check, timeout: 1000 }));
    expect(await ask()).toMatchObject({ result: 'failure', took: 0 });
    expect(await ask()).toEqual({ result: 'success', output: 'own', took: 0 });
    await new Promise((resolve) => foreign.close(resolve));
  });

  test('grpc: a server that sends nothing leads to the timeout', async () => {
    const pod = await podWith('sleep 1000 | { nc -l -p 80; date +%s >/ended; }');
    const began = pod.clock.now();
    const options = { ...dialer(pod.clock), host: pod.host, port: 80, service: '', timeout: 1000, userAgent };
    expect(await probe(pod, () => checkGrpc(options))).toEqual({
      result: 'failure',
      output: `timeout: failed to connect service "${pod.host}:80" within 1s: context deadline exceeded`,
      took: 1000,
    });
    expect(await ended(pod)).toBe(began / 1_000_000_000n + 1n);
  });
});
