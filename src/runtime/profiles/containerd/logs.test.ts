import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { answerOf, createWith, IMAGE } from '../../../../test/support/profiles/pod-fixture.js';
import { usePodFixtures } from '../../../../test/support/profiles/use-pod-fixtures.js';
import { useTemporaryDirectories } from '../../../../test/support/temporary.js';

/** What containerd 2.1.9 was seen to do with log files. */

const start = usePodFixtures();
const temporaryDirectory = useTemporaryDirectories();

test('a log needs the directory of sandbox_config', async () => {
  const { cri, config } = await start('containerd-2.4');
  const { podSandboxId } = await cri.runPodSandbox({
    config: { ...config, logDirectory: temporaryDirectory() },
  });
  const app = { metadata: { name: 'app', attempt: 0 }, image: IMAGE, logPath: 'app.log' };
  const { containerId } = await cri.createContainer({ podSandboxId, config: app, sandboxConfig: config });
  expect((await cri.containerStatus({ containerId })).status?.logPath).toBe('');
});

describe('log files', () => {
  const FAILED =
    'failed to create containerd task: failed to create container loggers: failed to create and open log file: ';

  test.each([
    ['that are directories', 'd', (path: string) => `open ${path}/d: is a directory`],
    ['below files', 'f/app.log', (path: string) => `mkdir ${path}/f: not a directory`],
  ])('%s: the container does not start', async (_, logPath, reason) => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, 'd'));
    writeFileSync(join(directory, 'f'), '');
    const fixture = await start('containerd-2.4');
    const { containerId } = await createWith(
      fixture,
      { logPath },
      { ...fixture.config, logDirectory: directory },
    );
    expect(await answerOf(fixture.cri.startContainer({ containerId }))).toBe(
      `UNKNOWN: ${FAILED}${reason(directory)}`,
    );
    expect((await fixture.cri.containerStatus({ containerId })).status).toMatchObject({
      exitCode: 128,
      reason: 'StartError',
    });
  });

  test('ReopenContainerLog makes their directory', async () => {
    const logDirectory = join(temporaryDirectory(), 'pod');
    const fixture = await start('containerd-2.4');
    const { containerId } = await createWith(
      fixture,
      { logPath: 'app.log' },
      { ...fixture.config, logDirectory },
    );
    await fixture.cri.startContainer({ containerId });
    rmSync(logDirectory, { recursive: true });
    expect(await answerOf(fixture.cri.reopenContainerLog({ containerId }))).toBe('OK');
    expect(existsSync(join(logDirectory, 'app.log'))).toBe(true);
  });
});
