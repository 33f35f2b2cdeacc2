import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { createVirtualClock } from '../../src/base/clock/virtual-clock.js';
import { recordToFile } from '../../src/tape/file.js';
import { createTape } from '../../src/tape/tape.js';
import { useTemporaryDirectories } from '../support/temporary.js';

const directory = useTemporaryDirectories();
afterEach(() => vi.useRealTimers());

/** A recording in virtual time, during which the machine needs `seconds`. */
async function recorded(name: string, seconds: number): Promise<Buffer> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const file = join(directory(), name);
  const tape = createTape(createVirtualClock({ start: 0n }));
  const recording = await recordToFile({ tape, file, about: { recorder: 'test' } });
  for (let step = 0; step < 20; step++) {
    tape.write({ kind: 'step', text: `step ${step}` });
    await vi.advanceTimersByTimeAsync((seconds * 1000) / 20);
  }
  vi.useRealTimers();
  await recording.close();
  return readFileSync(file);
}

test('a run in virtual time has the same compressed tape, however slow the machine is', async () => {
  const fast = await recorded('fast.tape.gz', 0);
  expect(await recorded('slow.tape.gz', 60)).toEqual(fast);
});
