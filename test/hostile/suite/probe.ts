import { createRealClock } from '../../../src/base/clock/real-clock.js';
import { connectCri } from '../../../src/cri/client/connect.js';

// A client in a separate process, so that the attacks don't delay it: how long Version takes, again and again.

/** Between two calls, in ms. */
const PAUSE = 50;
/** What counts as no answer at all, in ms. */
const HUNG = 60_000;

process.once('disconnect', () => process.exit());
const clock = createRealClock();
const cri = connectCri(process.argv[2] as string);
for (;;) {
  const began = clock.elapsed();
  await answered(began);
  process.send?.(clock.elapsed() - began);
  await clock.sleep(PAUSE);
}

/** Calls until there is an answer: a connection that breaks, or that the server doesn't take, is none. */
async function answered(began: number): Promise<void> {
  while (clock.elapsed() - began < HUNG)
    try {
      await cri.version({ version: '' }, { timeout: HUNG });
      return;
    } catch (error) {
      process.stderr.write(`Version: ${(error as Error).message}\n`);
      await clock.sleep(PAUSE);
    }
}
