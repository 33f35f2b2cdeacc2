import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createVirtualClock } from '../../src/base/clock/virtual-clock.js';
import { clearedLine } from '../../src/base/markup/terminal.js';
import { createReplayProgress } from '../../src/cli/commands/tape/replay.js';
import { runCommand } from '../support/command.js';
import { recordRun, wholeLife } from '../support/tape/recorded-run.js';
import { useTemporaryDirectories } from '../support/temporary.js';

const directory = useTemporaryDirectories();

test('an endpoint without a listener is reported immediately, with the reason', async () => {
  const file = await recordRun({ directory: directory() }, (cri) => wholeLife(cri, 'web'));
  const socket = join(directory(), 'nobody.sock');
  const { code, err } = await runCommand('tape', 'replay', file, '--endpoint', `unix://${socket}`);
  expect(err).toContain(`no runtime answers at unix://${socket}; start one, or correct --endpoint`);
  // The first attempt says it; a wait for the endpoint would not know why.
  expect(err).toContain(`dial unix ${socket}`);
  expect(code).toBe(2);
});

test('a terminal shows the progress of a replay, and is left clean', async () => {
  const clock = createVirtualClock();
  const written: string[] = [];
  const stream = (isTTY: boolean) => ({ isTTY, write: (text: string) => written.push(text) > 0 });
  const progress = createReplayProgress(stream(true), 120, clock);
  for (const call of [1, 2, 3]) progress.show(call);
  await clock.advance(1000);
  progress.show(4);
  progress.clear();
  expect(written).toEqual([`${clearedLine()}call 1 of 120`, `${clearedLine()}call 4 of 120`, clearedLine()]);
  const silent = createReplayProgress(stream(false), 120, clock);
  silent.show(1);
  silent.clear();
  expect(written).toHaveLength(3);
});
