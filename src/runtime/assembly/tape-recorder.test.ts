import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTemporaryDirectory } from '../../../test/support/temporary.js';
import { createRealClock } from '../../base/clock/real-clock.js';
import { createTape } from '../../tape/tape.js';
import { createTapeRecorder } from './tape-recorder.js';

const directory = useTemporaryDirectory();

test('a recording that fails while it ends does not end the next one', async () => {
  const failures: string[] = [];
  const tape = createTape(createRealClock());
  const recorder = createTapeRecorder({
    tape,
    runtimes: [],
    about: {},
    onFailure: (text) => failures.push(text),
  });
  await recorder.start('/dev/full');
  const stopping = recorder.stop();
  const next = await recorder.start(join(directory, 'next.jsonl'));
  await stopping;
  expect(failures).toHaveLength(1);
  expect(recorder.current).toBe(next);
  expect(await recorder.stop()).toBe(next);
});
