import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterEach, expect, onTestFailed, test } from 'vitest';
import { WebSocket } from 'ws';
import { connectCri } from '../../src/cri/client/connect.js';
import { useTemporaryDirectory } from '../support/temporary.js';

// A running server reads none of its files (decision 10): here they are removed after its start, packages included. It
// runs from the build (`npm test` builds before).

const root = fileURLToPath(new URL('../..', import.meta.url));
const home = useTemporaryDirectory();
const children = new Set<ChildProcess>();

afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** Starts a server from a copy of the build, and removes the copy once the server has loaded everything. */
async function serveWithoutFiles(flags: readonly string[]) {
  const installed = ['dist', 'proto', 'schemas', 'package.json'];
  for (const name of installed) cpSync(join(root, name), join(home, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'));
  // With the link instead of its target in the paths of modules, a package does not find its own files either.
  const links = ['--preserve-symlinks', '--preserve-symlinks-main'];
  const socket = join(home, 'cri.sock');
  const command = [...links, join(home, 'dist/src/cli/main.js'), 'serve', '--listen', socket, ...flags];
  const child = spawn(process.execPath, [...command, '--control', '127.0.0.1:0', '--log-level', 'debug']);
  children.add(child);
  const log: string[] = [];
  const lines = createInterface(child.stderr).on('line', (line) => log.push(line));
  const loaded = new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => {
      if (line.includes('every part is loaded')) resolve();
      else if (line.includes('a part cannot be loaded')) reject(new Error(line));
    });
    child.once('close', (code) => reject(new Error(`exit ${code}: ${log.join('\n')}`)));
  });
  const [ready] = (await Promise.race([once(child.stdout, 'data'), loaded.then(() => [])])) as Buffer[];
  await loaded;
  for (const name of [...installed, 'node_modules']) rmSync(join(home, name), { recursive: true });
  return { child, log, control: JSON.parse(String(ready)).control as string, cri: connectCri(socket) };
}

test('a server works after its files are gone', async () => {
  const { child, log, control, cri } = await serveWithoutFiles(['--log-format', 'pretty']);
  onTestFailed(() => void process.stderr.write(`${log.filter((l) => l.trim() !== '').join('\n')}\n`));
  const post = async (path: string, body: string) => {
    const answer = await fetch(control + path, { method: 'POST', body });
    return `${answer.status} ${await answer.text()}`;
  };

  const tape = join(home, 'run.tape.gz');
  expect(await post('/v1/tape', JSON.stringify({ file: tape }))).toMatch(/^201 /);
  const rule = '{match: {method: Status}, when: {times: 1}, then: {error: {code: UNAVAILABLE}}}';
  expect(await post('/v1/faults', `version: 1\nfaults:\n  - ${rule}\n`)).toMatch(/^201 /);
  expect(await post('/v1/faults', 'version: 1\nfaults: [')).toMatch(/^400 .*:2:/);
  await expect(cri.status({})).rejects.toMatchObject({ codeName: 'UNAVAILABLE' });
  expect(await (await fetch(`${control}/metrics`)).text()).toContain('mockri_');

  const pod = {
    metadata: { name: 'p', uid: 'u', namespace: 'default', attempt: 0 },
    logDirectory: home,
    annotations: { 'fault.mockri.dev/StopContainer': '1*delay(1ms)' },
  };
  const { podSandboxId } = await cri.runPodSandbox({ config: pod });
  const image = { image: 'busybox:1' };
  await cri.pullImage({ image });
  const { containerId } = await cri.createContainer({
    podSandboxId,
    sandboxConfig: pod,
    config: { metadata: { name: 'c', attempt: 0 }, image, command: ['sleep', '1000'], logPath: 'c.log' },
  });
  await cri.startContainer({ containerId });

  const script = `
    for program in $(ls /bin); do timeout 1 $program --help </dev/null >/dev/null 2>&1; done
    echo abc | grep -E '^a.c$' | sed -E 's/b+/x/' | awk '/a.c/ { print "awk", $1 }'`;
  const { stdout } = await cri.execSync({ containerId, cmd: ['sh', '-c', script], timeout: 30n });
  expect(stdout.toString()).toBe('awk axc\n');

  const { url } = await cri.exec({ containerId, cmd: ['echo', 'streamed'], stdout: true });
  const session = new WebSocket(url.replace('http', 'ws'), ['v4.channel.k8s.io']);
  let output = '';
  session.on('message', (data: Buffer) => {
    if (data[0] === 1) output += data.subarray(1);
  });
  await once(session, 'close');
  expect(output).toBe('streamed\n');

  await cri.containerStats({ containerId });
  await cri.stopContainer({ containerId, timeout: 0n });
  await cri.removePodSandbox({ podSandboxId });
  cri.close();
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(gunzipSync(readFileSync(tape)).toString()).toContain('StopContainer');
  expect(log.filter((line) => /WARN|ERROR/.test(line))).toEqual([]);
});
