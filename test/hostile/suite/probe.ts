import { createRealClock } from '../../../src/base/clock/real-clock.js';
import { connectCri } from '../../../src/cri/client/connect.js';

// A client in a separate process, so that the attacks don't delay it: measures Version repeatedly.

/** Interval of the calls, in ms. */
const PAUSE = 50;
/** Time in ms after which a call counts as hung. */
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

/** Calls until a reply arrives, over broken and refused connections. */
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
