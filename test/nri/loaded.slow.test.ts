import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connectCri } from '../../src/cri/client/connect.js';
import { useTemporaryDirectories } from '../support/temporary.js';

const temporary = useTemporaryDirectories();

/** The parts of the source that a server has loaded until its end: V8 lists them with its coverage. */
async function loaded(flags: readonly string[]): Promise<Set<string>> {
  const directory = temporary();
  const coverage = join(directory, 'coverage');
  const socket = `unix://${join(directory, 'cri.sock')}`;
  // From the sources: the build puts several into one file.
  const program = ['--import', 'tsx', 'src/cli/main.ts'];
  const args = [...program, 'serve', '--listen', socket, '--control', '127.0.0.1:0', ...flags];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, NODE_V8_COVERAGE: coverage },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(child.stdout, 'data');
  const cri = connectCri(socket);
  await cri.pullImage({ image: { image: 'busybox:1' } });
  await cri.runPodSandbox({ config: { metadata: { name: 'a', uid: 'u', namespace: 'd' }, linux: {} } });
  cri.close();
  child.kill('SIGTERM');
  await once(child, 'exit');
  const texts = readdirSync(coverage).map((file) => readFileSync(join(coverage, file), 'utf8'));
  return new Set(
    texts.flatMap((text) =>
      [...text.matchAll(/"file:[^"]*\/src\/(?:runtime\/)?([\w-]+)\/[^"]*\.ts"/g)].map(
        ([, part]) => part ?? '',
      ),
    ),
  );
}

test('without the options for plugins and devices, their code is not loaded', async () => {
  const parts = await loaded([]);
  expect(parts).toContain('engine');
  expect([...parts].filter((part) => ['nri', 'ttrpc', 'cdi'].includes(part))).toEqual([]);
});

test('with a socket for plugins, the plugin code is loaded', async () => {
  expect([...(await loaded(['--nri-socket', 'temporary']))]).toEqual(
    expect.arrayContaining(['nri', 'ttrpc']),
  );
});
