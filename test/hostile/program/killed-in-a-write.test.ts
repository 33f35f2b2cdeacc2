import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { createRealClock } from '../../../src/base/clock/real-clock.js';
import { connectCri } from '../../../src/cri/client/connect.js';
import { createApiObjects } from '../../../src/kubelet/api-server/objects.js';
import { startApiServer } from '../../../src/kubelet/api-server/server.js';
import { openTape } from '../../../src/tape/read.js';
import { eventually } from '../../support/eventually.js';
import { commandLine } from '../../support/program.js';
import { useTemporaryDirectories } from '../../support/temporary.js';
import { killVictims, startVictim } from '../kit.js';

const temporary = useTemporaryDirectories();
const children = new Set<ChildProcess>();
const closings: (() => unknown)[] = [];
afterEach(async () => {
  killVictims();
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  for (const close of closings.splice(0)) await close();
});

/** Variables of a process that is killed in the middle of a write, the one of this number to files whose paths contain `path`. */
function killAt(write: number, path: string): Record<string, string> {
  const preload = fileURLToPath(new URL('./kill-at-write.mjs', import.meta.url));
  return { NODE_OPTIONS: `--import ${preload}`, KILL_AT: `${write} ${path}` };
}

function start(env: Record<string, string>, ...args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, commandLine(...args), {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout?.resume();
  child.stderr?.resume();
  children.add(child);
  return child;
}

it.each([
  ['run.tape', 1],
  ['run.tape', 4],
  ['run.tape.gz', 1],
  ['run.tape.gz', 2],
])(
  'a recording %s of a server that is killed in its write %i is read to its last whole line, and written again',
  async (name, write) => {
    const directory = temporary();
    const file = join(directory, name);
    const socket = join(directory, 'killed.sock');
    const child = start(killAt(write, name), 'serve', '--listen', `unix://${socket}`, '--record', file);
    const cri = connectCri(socket);
    closings.push(() => cri.close());
    const list = () => cri.listContainers({}, { timeout: 1000 }).catch(() => {});
    while (child.exitCode === null && child.signalCode === null) await list();
    expect(child.signalCode).toBe('SIGKILL');
    const text = await openTape(file).then(
      async (tape) => {
        let entries = 0;
        for await (const _entry of tape.entries) entries++;
        return `${entries > 0 || tape.isCut}`;
      },
      (error: Error) => error.message,
    );
    expect(text).toMatch(write <= 2 ? /it has no whole line$|^true$/ : /^true$/);
    const next = await startVictim(directory, ['--record', file]);
    expect(await next.stop()).toBe(0);
    const { entries } = await openTape(file);
    let last: string | undefined;
    for await (const { entry } of entries) last = entry.kind;
    expect(last).toBeDefined();
  },
);

/** Of a ConfigMap: as large as one may be, so that a half is seen. */
const CONTENT = 'whole '.repeat(50_000);

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'default', uid: 'web' },
  spec: {
    nodeName: 'mock-0',
    volumes: [{ name: 'c', configMap: { name: 'c' } }],
    containers: [
      {
        name: 'web',
        image: 'busybox:1',
        command: ['sh', '-c', 'wc -c </c/text; sleep 1000'],
        volumeMounts: [{ name: 'c', mountPath: '/c' }],
      },
    ],
  },
};

it("a node killed while writing a volume's file has the complete file after its restart", async () => {
  const directory = temporary();
  const objects = createApiObjects();
  const api = await startApiServer({ objects, clock: createRealClock() });
  closings.push(() => api.close());
  objects.put('/api/v1/namespaces/default/configmaps/c', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'c', namespace: 'default' },
    data: { text: CONTENT },
  });
  objects.put('/api/v1/namespaces/default/pods/web', pod);
  const kubeconfig = join(directory, 'config');
  writeFileSync(kubeconfig, configFor(api.url));
  const root = join(directory, 'root');
  const flags = ['node', '--kubeconfig', kubeconfig, '--control', 'off', '--identity', 'account'];
  flags.push('--kubelet-certificate', 'self-signed', '--kubelet-port', '0', '--node-ip', '127.0.0.1');
  const killed = start(killAt(1, 'text'), ...flags, '--root-dir', root);
  await once(killed, 'exit');
  expect(killed.signalCode).toBe('SIGKILL');
  start({}, ...flags, '--root-dir', root);
  const logs = () =>
    readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.log'));
  const text = () =>
    logs()
      .map((name) => readFileSync(join(root, name), 'utf8'))
      .join('');
  await eventually(() => text().includes(`F ${CONTENT.length}\n`)).toBe(true);
  // What was begun is gone: there is the whole file alone.
  const volumes = readdirSync(root, { recursive: true, encoding: 'utf8' });
  const sizes = volumes
    .filter((name) => /\.\.2\d.*\/text$/.test(name))
    .map((name) => statSync(join(root, name)).size);
  expect(sizes).toEqual([CONTENT.length]);
});

const configFor = (server: string): string =>
  JSON.stringify({
    kind: 'Config',
    'current-context': 'a',
    contexts: [{ name: 'a', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user: { token: 'x' } }],
  });
