import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { parseShorthand } from '../../../src/runtime/faults/language/shorthand.js';
import type { Mockri } from '../../../src/testing/index.js';
import { until, untilStill } from '../../support/turns.js';
import { openSession, SpdyClient } from '../streaming/spdy-client.js';
import { type StartedPod, startPod, useMockri } from './kit.js';

const start = useMockri();
const clients: SpdyClient[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});

async function connected(url: string, protocol?: string): Promise<SpdyClient> {
  const client = await SpdyClient.connect(url, protocol);
  clients.push(client);
  return client;
}

/** A client of an exec, with its streams. */
async function exec({ client }: Mockri, { containerId }: StartedPod, script: string, stdin = false) {
  const cmd = ['sh', '-c', script];
  const { url } = await client.exec({ containerId, cmd, stdin, stdout: true, stderr: true });
  const spdy = await connected(url);
  const streams = stdin
    ? await openSession(spdy, 'stdin', 'stdout', 'stderr')
    : { stdin: 0, ...(await openSession(spdy, 'stdout', 'stderr')) };
  return { spdy, ...streams };
}

/** A client of a port-forward, with one connection to port 8080, where nc answers what it got. */
async function forward({ client }: Mockri, { podSandboxId, containerId }: StartedPod) {
  await client.execSync({
    containerId,
    cmd: ['sh', '-c', 'netstat -tln | grep -q 8080 || nc -lk -p 8080 -e cat >/dev/null 2>&1 &'],
  });
  const { url } = await client.portForward({ podSandboxId });
  const spdy = await connected(url, 'portforward.k8s.io');
  return { spdy, pair: (port: number, id: string) => openPair(spdy, port, id) };
}

async function openPair(spdy: SpdyClient, port: number, requestid: string) {
  const headers = { port: String(port), requestid };
  const error = await spdy.open({ ...headers, streamtype: 'error' });
  return { error, data: await spdy.open({ ...headers, streamtype: 'data' }) };
}

const success = '{"metadata":{},"status":"Success"}';

describe('the streaming server as a part of the runtime', () => {
  test('pause: no byte comes from a running exec or from a new one until it is over', async () => {
    const mockri = await start();
    const pod = await startPod(mockri, 'web');
    const { spdy, stdin, stdout } = await exec(mockri, pod, 'cat', true);
    await spdy.send(stdin, 'before');
    await spdy.until(() => spdy.text(stdout) === 'before');
    const { url } = await mockri.client.exec({ containerId: pod.containerId, cmd: ['true'], stdout: true });
    const rule = mockri.fault().on('time').pause();
    await until(() => rule.counts?.applied === 1);
    await spdy.send(stdin, 'during');
    const late = SpdyClient.connect(url);
    const first = await Promise.race([
      late.then(() => 'the new one'),
      spdy.until(() => spdy.text(stdout) !== 'before').then(() => 'the running one'),
      untilStill(() => spdy.bytes(stdout).length).then(() => 'nothing'),
    ]);
    expect(first).toBe('nothing');
    mockri.reset();
    await spdy.until(() => spdy.text(stdout) === 'beforeduring');
    clients.push(await late);
  });

  test('connection=refuse and reset: also those of the streaming port, running ones too', async () => {
    const mockri = await start();
    const pod = await startPod(mockri, 'web');
    const { spdy } = await exec(mockri, pod, 'cat', true);
    const { url } = await mockri.client.exec({ containerId: pod.containerId, cmd: ['true'], stdout: true });
    const rule = mockri.fault().on('connection').refuse();
    await expect(SpdyClient.connect(url)).rejects.toThrow(/ECONNRESET|hang up/);
    expect(rule.counts?.applied).toBe(1);
    mockri.reset();
    mockri.fault().on('time').reset();
    await spdy.until(() => spdy.over).catch(() => {});
    expect(spdy.over).toBe(true);
  });

  test('match.server: a rule for the streaming port leaves the CRI alone, and the other way round', async () => {
    const mockri = await start();
    const { port } = new URL((await startExec(mockri)).url);
    const dial = async () => {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
      socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
      let answer = 'closed';
      socket.once('data', () => {
        answer = 'answered';
        socket.destroy();
      });
      await new Promise((resolve) => socket.once('close', resolve));
      return answer;
    };
    mockri.addFault({ on: 'connection', match: { server: 'streaming' }, then: { refuse: {} } });
    expect(await dial()).toBe('closed');
    mockri.reset();
    mockri.addFault({ on: 'connection', match: { server: 'cri' }, then: { refuse: {} } });
    expect(await dial()).toBe('answered');
  });
});

async function startExec(mockri: Mockri) {
  const { containerId } = await startPod(mockri, 'web');
  return mockri.client.exec({ containerId, cmd: ['true'], stdout: true });
}

describe('rules on sessions', () => {
  test('reset breaks the second exec of a container after 4 bytes', async () => {
    const mockri = await start();
    const pod = await startPod(mockri, 'web');
    mockri.addFault({
      match: { method: 'Exec', pod: { name: 'web' }, container: { name: 'app' } },
      on: 'session',
      when: { after: 1, times: 1, afterBytes: 4 },
      then: { reset: {} },
    });
    const first = await exec(mockri, pod, 'echo whole');
    await first.spdy.ended(first.error);
    expect(first.spdy.text(first.stdout)).toBe('whole\n');
    const second = await exec(mockri, pod, 'printf half; read more; echo "$more"; sleep 1000', true);
    // A reset would discard what the client has not read yet.
    await second.spdy.until(() => second.spdy.text(second.stdout) === 'half');
    await second.spdy.send(second.stdin, 'more\n');
    await second.spdy.until(() => second.spdy.over).catch(() => {});
    expect(second.spdy.text(second.stdout)).toBe('half');
    const third = await exec(mockri, pod, 'echo whole');
    await third.spdy.ended(third.error);
    expect(third.spdy.text(third.error)).toBe(success);
  });

  test('stall, until the rule is removed; then all bytes come, and the status after them', async () => {
    const mockri = await start();
    const pod = await startPod(mockri, 'web');
    const rule = mockri.addFault({ match: { method: 'Exec' }, on: 'session', then: { stall: {} } });
    const { spdy, stdout, error } = await exec(mockri, pod, 'echo late');
    await until(() => rule.counts?.applied === 1);
    expect(spdy.text(stdout)).toBe('');
    mockri.reset();
    await spdy.ended(error);
    expect([spdy.text(stdout), spdy.text(error)]).toEqual(['late\n', success]);
  });

  test('the error stream is lost, or its status never comes', async () => {
    const mockri = await start();
    const pod = await startPod(mockri, 'web');
    mockri.addFault({
      match: { method: 'Exec', stream: 'error' },
      on: 'session',
      when: { times: 1 },
      then: { drop: {} },
    });
    const lost = await exec(mockri, pod, 'echo out; exit 3');
    await lost.spdy.ended(lost.error);
    expect([lost.spdy.text(lost.stdout), lost.spdy.text(lost.error)]).toEqual(['out\n', '']);
    mockri.addFault({ match: { method: 'Exec', stream: 'error' }, on: 'session', then: { stall: {} } });
    const never = await exec(mockri, pod, 'echo out; exit 3');
    await never.spdy.ended(never.stdout);
    expect(never.spdy.text(never.error)).toBe('');
    mockri.reset();
    await never.spdy.ended(never.error);
    expect(never.spdy.text(never.error)).toContain('"ExitCode"');
  });

  test('wrong bytes, half-closed streams and errors', async () => {
    const mockri = await start();
    const pod = await startPod(mockri, 'web');
    mockri.addFault({
      match: { method: 'Exec' },
      on: 'session',
      when: { times: 1, afterBytes: 2 },
      then: { corrupt: {} },
    });
    const wrong = await exec(mockri, pod, 'printf abcd; printf efgh >&2');
    await wrong.spdy.ended(wrong.error);
    expect(wrong.spdy.bytes(wrong.stdout).subarray(0, 2).toString()).toBe('ab');
    expect([...wrong.spdy.bytes(wrong.stdout).subarray(2)]).toEqual([0x63 ^ 0xff, 0x64 ^ 0xff]);
    expect(wrong.spdy.text(wrong.stderr)).toBe('efgh');
    mockri.reset();
    mockri.addFault({ match: { method: 'Exec', stream: 'stdin' }, on: 'session', then: { end: {} } });
    const half = await exec(mockri, pod, 'cat; echo end', true);
    await half.spdy.ended(half.error);
    expect(half.spdy.text(half.stdout)).toBe('end\n');
    mockri.reset();
    mockri.addFault({
      match: { method: 'Exec' },
      on: 'session',
      then: { error: { message: 'no more ptys' } },
    });
    const failed = await exec(mockri, pod, 'true');
    await failed.spdy.ended(failed.error);
    expect(failed.spdy.text(failed.error)).toContain('error executing command in container: no more ptys');
    mockri.reset();
    mockri.addFault({ match: { method: 'Exec' }, on: 'session', then: { refuse: {} } });
    await expect(exec(mockri, pod, 'true')).rejects.toThrow(/ECONNRESET|hang up/);
  });

  test('port-forward: a connection to one port is broken, others and the whole stay', async () => {
    const mockri = await start();
    const pod = await startPod(mockri, 'web');
    const { spdy, pair } = await forward(mockri, pod);
    mockri.addFault({
      match: { method: 'PortForward', pod: { name: 'web' }, port: 8080 },
      on: 'session',
      when: { times: 1, afterBytes: 3 },
      then: { reset: {} },
    });
    const broken = await pair(8080, '0');
    await spdy.send(broken.data, 'abcdef');
    await spdy.until(() =>
      spdy.frames.some((frame) => frame.kind === 'rst-stream' && frame.streamId === broken.data),
    );
    const other = await pair(8080, '1');
    await spdy.send(other.data, 'abcdef');
    await spdy.until(() => spdy.text(other.data) === 'abcdef');
    mockri.reset();
    mockri.addFault({
      match: { method: 'PortForward', port: 8080 },
      on: 'session',
      then: { reset: { scope: 'connection' } },
    });
    await pair(8080, '2');
    await spdy.until(() => spdy.over).catch(() => {});
    expect(spdy.over).toBe(true);
  });

  test('throttle and latency hold bytes back, and lose none', async () => {
    const mockri = await start();
    const pod = await startPod(mockri, 'web');
    mockri.addFault({
      match: { method: 'Exec' },
      on: 'session',
      when: { times: 1 },
      then: { throttle: { bytesPerSecond: 100_000 } },
    });
    const narrow = await exec(mockri, pod, 'head -c 20000 /dev/zero');
    await narrow.spdy.ended(narrow.error);
    expect(narrow.spdy.bytes(narrow.stdout).length).toBe(20_000);
    mockri.addFault({ match: { method: 'Exec' }, on: 'session', then: { latency: { duration: '20ms' } } });
    const slow = await exec(mockri, pod, 'cat', true);
    await slow.spdy.send(slow.stdin, 'abc', true);
    await slow.spdy.ended(slow.error);
    expect([slow.spdy.text(slow.stdout), slow.spdy.text(slow.error)]).toEqual(['abc', success]);
  });
});

test('a rule on sessions that could never act is refused, and says why', async () => {
  const mockri = await start();
  const add = (rule: Parameters<Mockri['addFault']>[0]) => () => mockri.addFault(rule);
  expect(add({ match: { method: 'StartContainer' }, on: 'session', then: { stall: {} } })).toThrow(
    /session.*allowed: Exec, Attach, PortForward/,
  );
  expect(add({ match: { method: 'Exec', port: 80 }, on: 'session', then: { stall: {} } })).toThrow(
    /match.port/,
  );
  expect(add({ match: { method: 'Exec' }, when: { afterBytes: 1 }, then: { hang: {} } })).toThrow(
    /when.afterBytes/,
  );
  expect(add({ match: { method: 'Exec', stream: 'error' }, on: 'session', then: { corrupt: {} } })).toThrow(
    /match.stream/,
  );
});

test('shorthand, over WebSocket: the first bytes pass, the others are lost, the status comes', async () => {
  const mockri = await start({
    faults: parseShorthand('Exec:session=1*off->1*drop stream=stderr afterBytes=2'),
  });
  const pod = await startPod(mockri, 'web');
  const output = async () => {
    const cmd = ['sh', '-c', 'printf abcd; printf efgh >&2'];
    const { url } = await mockri.client.exec({
      containerId: pod.containerId,
      cmd,
      stdout: true,
      stderr: true,
    });
    const socket = new WebSocket(url, 'v4.channel.k8s.io');
    const texts: Record<number, string> = {};
    socket.on('message', (message: Buffer) => {
      const channel = message[0] as number;
      texts[channel] = (texts[channel] ?? '') + message.subarray(1);
    });
    await new Promise((resolve, reject) => socket.once('close', resolve).once('error', reject));
    return [texts[1], texts[2], texts[3]];
  };
  expect(await output()).toEqual(['abcd', 'efgh', success]);
  expect(await output()).toEqual(['abcd', 'ef', success]);
});
