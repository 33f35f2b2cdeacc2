import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { answerOf, createWith, IMAGE } from '../../../test/support/profiles/trial.js';
import { useTrials } from '../../../test/support/profiles/use-trials.js';
import { useTemporaryDirectories } from '../../../test/support/temporary.js';

/** What containerd 2.1.9 was seen to do with log files. */

const start = useTrials();
const temporaryDirectory = useTemporaryDirectories();

test('a log needs the directory of sandbox_config', async () => {
  const { cri, config } = await start('containerd-2.1');
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
    const trial = await start('containerd-2.1');
    const { containerId } = await createWith(
      trial,
      { logPath },
      { ...trial.config, logDirectory: directory },
    );
    expect(await answerOf(trial.cri.startContainer({ containerId }))).toBe(
      `UNKNOWN: ${FAILED}${reason(directory)}`,
    );
    expect((await trial.cri.containerStatus({ containerId })).status).toMatchObject({
      exitCode: 128,
      reason: 'StartError',
    });
  });

  test('ReopenContainerLog makes their directory', async () => {
    const logDirectory = join(temporaryDirectory(), 'pod');
    const trial = await start('containerd-2.1');
    const { containerId } = await createWith(
      trial,
      { logPath: 'app.log' },
      { ...trial.config, logDirectory },
    );
    await trial.cri.startContainer({ containerId });
    rmSync(logDirectory, { recursive: true });
    expect(await answerOf(trial.cri.reopenContainerLog({ containerId }))).toBe('OK');
    expect(existsSync(join(logDirectory, 'app.log'))).toBe(true);
  });
});
