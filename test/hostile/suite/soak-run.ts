import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRealClock } from '../../../src/clock/real-clock.js';
import { killVictims, startVictim, type Victim } from '../kit.js';
import { type SoakCounts, soak } from './soak.js';

const MIB = 1024 * 1024;
const clock = createRealClock();

/** CPU time of the server in ms (proc(5): utime and stime in hundredths of a second). */
function cpu({ child }: Victim): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/**
 * Soaks a server for `duration` ms. Prints one line of JSON a minute, then one with the growth from the first minutes to
 * the last: of the least resident memory in three lines each, and of descriptors.
 */
export async function runSoak(duration: number): Promise<void> {
  const interval = Math.min(60_000, duration / 20);
  const directory = mkdtempSync(join(tmpdir(), 'mockri-soak-'));
  const stop = new AbortController();
  const counts: SoakCounts = { pods: 0, execs: 0, sessions: 0, faults: 0, events: 0, injected: 0 };
  try {
    const victim = await startVictim(directory, ['--control', '127.0.0.1:0']);
    process.once('SIGINT', () => stop.abort()).once('SIGTERM', () => stop.abort());
    const look = () => ({
      minutes: Math.round(clock.elapsed() / 600 - began / 600) / 100,
      mib: Math.round((victim.resident() / MIB) * 10) / 10,
      descriptors: victim.descriptors(),
      cpuSeconds: cpu(victim) / 1000,
      ...counts,
    });
    const began = clock.elapsed();
    const looks: ReturnType<typeof look>[] = [];
    const work = soak(victim, stop.signal, counts);
    let failure: unknown;
    work.catch((error: unknown) => {
      failure = error;
      stop.abort();
    });
    while (!stop.signal.aborted && clock.elapsed() - began < duration) {
      await clock.sleep(interval, stop.signal).catch(() => {});
      const now = look();
      looks.push(now);
      process.stdout.write(`${JSON.stringify(now)}\n`);
    }
    stop.abort();
    await work.catch(() => {});
    if (failure !== undefined) throw failure;
    const least = (part: typeof looks) => Math.min(...part.map(({ mib }) => mib));
    const [warm, end] = [looks.slice(1, 4), looks.slice(-3)];
    const descriptors = (end.at(-1)?.descriptors ?? 0) - (warm[0]?.descriptors ?? 0);
    const growth = Math.round((least(end) - least(warm)) * 10) / 10;
    const exitCode = await victim.stop();
    process.stdout.write(`${JSON.stringify({ growthMib: growth, descriptors, exitCode, ...counts })}\n`);
  } finally {
    killVictims();
    rmSync(directory, { recursive: true, force: true });
  }
}
