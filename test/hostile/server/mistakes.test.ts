import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { parseManifest } from '../../../src/kubelet/pods/manifest.js';
import { useTemporaryDirectories } from '../../support/temporary.js';
import { callHead, END_HEADERS, frame, PREFACE } from '../http2.js';
import { killVictims, startVictim } from '../kit.js';

// Mistakes of clients that were logged as defects of the server, or done. `stop` rejects if the server logs anything.

const temporary = useTemporaryDirectories();
afterEach(killVictims);

it.each([
  ['an unknown method', callHead('/nothing')],
  ['another content type', callHead('/runtime.v1.RuntimeService/Version', { 'content-type': 'text/html' })],
])('survives a call of %s that its client resets immediately', async (_, head) => {
  const victim = await startVictim(temporary());
  const client = connect(victim.socket);
  client.on('error', () => {}).resume();
  const call = frame(1, END_HEADERS, 1, head);
  client.write(Buffer.concat([PREFACE, call, frame(3, 0, 1, Buffer.from([0, 0, 0, 8]))]));
  await once(client, 'data');
  await victim.version();
  client.destroy();
  expect(await victim.stop()).toBe(0);
});

/** Frames after which HTTP/2 ends the connection (RFC 9113, 5.4.1). */
const mistakes = {
  'a window update of 0': frame(8, 0, 1, Buffer.alloc(4)),
  'a window that is too large': frame(4, 0, 0, Buffer.from('0004ffffffff', 'hex')),
  'a reset of an idle stream': frame(3, 0, 9, Buffer.alloc(4)),
  'a stream of the server': frame(1, END_HEADERS, 2, callHead('/x')),
  'settings of a stream': frame(4, 0, 1, Buffer.alloc(0)),
  'a pushed stream': frame(5, END_HEADERS, 1, Buffer.alloc(10)),
  'a PING on a stream': frame(6, 0, 1, Buffer.alloc(8)),
};

it('an HTTP/2 error during a call ends the connection, but not the server', async () => {
  const victim = await startVictim(temporary());
  const call = frame(1, END_HEADERS, 1, callHead('/runtime.v1.RuntimeService/Version'));
  for (const mistake of Object.values(mistakes)) {
    const client = connect(victim.socket);
    client.on('error', () => {}).resume();
    client.write(Buffer.concat([PREFACE, call, mistake]));
    await once(client, 'close');
    await victim.version();
  }
  expect(await victim.stop()).toBe(0);
});

it('logs nothing when a control client aborts', async () => {
  const victim = await startVictim(temporary(), ['--control', '127.0.0.1:0']);
  const { port } = new URL(victim.control ?? '');
  const head = 'POST /v1/faults HTTP/1.1\r\nHost: localhost\r\n';
  for (const request of [
    `${head}Content-Length: 1000\r\n\r\n{"a`,
    `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    `${head}Transfer-Encoding: chunked\r\n\r\n5\r\nabc`,
    'GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n',
    'GET /v1/state HTTP/1.1\r\nHost: localhost\r\n\r\n',
  ])
    for (const leave of ['destroy', 'resetAndDestroy', 'end'] as const) {
      const client = connect(Number(port), '127.0.0.1');
      client.on('error', () => {}).resume();
      await once(client, 'connect');
      await new Promise((resolve) => client.write(request, resolve));
      await fetch(`${victim.control}/healthz`);
      client[leave]();
    }
  await (await fetch(`${victim.control}/healthz`)).text();
  expect(await victim.stop()).toBe(0);
});

it('refuses to reopen a log whose path is a directory or has none', async () => {
  const directory = temporary();
  const victim = await startVictim(directory);
  for (const make of [
    (path: string) => mkdirSync(path),
    (path: string) => rmSync(join(path, '..'), { recursive: true }),
  ]) {
    const path = `d${Math.random()}/c.log`;
    const containerId = await victim.container('sleep 1000', { logPath: path });
    rmSync(join(directory, path));
    make(join(directory, path));
    await expect(victim.cri.reopenContainerLog({ containerId })).rejects.toMatchObject({
      name: 'CallError',
      code: 9,
      details: expect.stringContaining("can't be opened"),
    });
  }
  expect(await victim.stop()).toBe(0);
});

it('refuses a log directory with a NUL', async () => {
  const victim = await startVictim(temporary());
  const metadata = { name: 'n', uid: 'n', namespace: 'n', attempt: 0 };
  const logDirectory = '/tmp/a\0b';
  await expect(victim.cri.runPodSandbox({ config: { metadata, logDirectory } })).rejects.toMatchObject({
    code: 3,
  });
  const config = { metadata: { name: 'c', attempt: 0 }, image: { image: 'busybox:1' }, logPath: 'c.log' };
  const { podSandboxId, pod } = victim;
  const sandboxConfig = { ...pod, logDirectory };
  await expect(victim.cri.createContainer({ podSandboxId, sandboxConfig, config })).rejects.toMatchObject({
    code: 3,
  });
  expect(await victim.stop()).toBe(0);
});

it.each(['../../x', '..', '.', 'a/b', '/', 'a\\b', ''])('refuses the uid %j of a static pod', (uid) => {
  const manifest = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', uid },
    spec: { containers: [{ name: 'c', image: 'busybox' }] },
  });
  expect(() => parseManifest(manifest, 'pod.yaml', { nodeName: 'n', now: 0n, path: '/pod.yaml' })).toThrow(
    'uid',
  );
});
