import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { turn } from '../../src/base/clock/turn.js';
import { connectCri } from '../../src/cri/client/connect.js';
import { decode } from '../conformance/decoded.js';
import { after } from '../conformance/mutants/mutant.js';
import { startTestEndpoint, type TestEndpoint } from '../conformance/test-endpoint.js';
import { runCommand } from '../support/command.js';
import { commandLine } from '../support/program.js';
import { useTemporaryDirectories } from '../support/temporary.js';
import { isThorough } from '../support/thorough.js';

const slow = test.runIf(isThorough);

const temporary = useTemporaryDirectories();
let plain: TestEndpoint;
let changed: TestEndpoint;

beforeAll(async () => {
  plain = await startTestEndpoint();
  changed = await startTestEndpoint({
    wrap: (service) => {
      const real = decode(service);
      const mutate = after('version', (reply) => {
        reply.runtimeVersion = '0.0.0';
      });
      return { ...real, ...mutate(real) };
    },
  });
});

afterAll(async () => {
  await plain.close();
  await changed.close();
});

const diff = (...flags: string[]) => runCommand('diff', ...flags);

const few = ['--sequences', '30', '--no-subscribers'];

slow('two equal runtimes: exit code 0', async () => {
  const { code, out } = await diff(plain.endpoint, plain.endpoint, ...few);
  expect(out).toMatch(/^no difference in 30 sequences with seed 1, \d+ s\n$/);
  expect(code).toBe(0);
});

test('a difference: exit code 1, with the calls and both answers', async () => {
  const { code, out } = await diff(plain.endpoint, changed.endpoint, ...few);
  expect(out).toMatch(
    /^- <a>, \S+; \+ <b>, \S+\n1\) Version: another reply in runtimeVersion \(\d+ times?\)\n {5}Version\b.*\n {3}- ".+"\n {3}\+ "0.0.0"\n1 kind of difference(?:, \d+ more did not show again)? in 30/,
  );
  expect(code).toBe(1);
});

slow('known differences do not count', async () => {
  const known = join(temporary(), 'known.yaml');
  writeFileSync(known, 'version: 1\nknown:\n  - { method: Version, why: another version }\n');
  const { code, out } = await diff(plain.endpoint, changed.endpoint, ...few, '--known', known, '--json');
  expect(JSON.parse(out)).toMatchObject({ kinds: [], known: [{ why: 'another version' }], leftovers: [] });
  expect(code).toBe(0);
});

test.each([
  [['unix:///a', '--seed', 'x'], /--seed: expected a whole number from 0; given "x"/],
  [['unix:///a'], /<b>|"b"/],
  [['unix:///a', 'b c'], /<b>: /],
  [['unix:///a', 'unix:///b', '--known', '/none.yaml'], /--known: \/none.yaml: it can't be read/],
])('%j is refused with exit code 2', async (flags, message) => {
  const { code, err, out } = await diff(...flags);
  expect(err).toMatch(message);
  expect(out).toBe('');
  expect(code).toBe(2);
});

// It waits some seconds for the connection.
slow('an endpoint without a runtime is refused with exit code 2', async () => {
  const { code, err, out } = await diff('unix:///nobody.sock', 'unix:///nobody.sock');
  expect(err).toMatch(/unix:\/\/\/nobody.sock: no connection/);
  expect(out).toBe('');
  expect(code).toBe(2);
});

slow('Ctrl-C prints what was found, removes everything, and exits with 130', async () => {
  const cri = connectCri(changed.endpoint);
  const pods = async () => (await cri.listPodSandbox({})).items.length;
  const flags = [plain.endpoint, changed.endpoint, '--sequences', '100000'];
  const child = spawn(process.execPath, commandLine('diff', ...flags));
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.resume();
  const end = once(child, 'close');
  while ((await pods()) === 0 && child.exitCode === null) await turn();
  child.kill('SIGINT');
  const [code] = await end;
  expect(code).toBe(130);
  expect(output).toMatch(/ of 100000 sequences with seed 1, \d+ s\n$/);
  expect(await pods()).toBe(0);
  cri.close();
});

slow('Ctrl-C while a runtime does not answer: exit code 130', async () => {
  const path = join(temporary(), 'silent.sock');
  const silent = createServer().listen(path);
  const child = spawn(process.execPath, commandLine('diff', `unix://${path}`, plain.endpoint));
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const end = once(child, 'close');
  await once(silent, 'connection');
  child.kill('SIGINT');
  expect((await end)[0]).toBe(130);
  expect(errors).toBe('');
  silent.close();
});
