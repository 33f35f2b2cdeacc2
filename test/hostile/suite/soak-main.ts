import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createRealClock } from '../../../src/clock/real-clock.js';
import { killVictims, startVictim, type Victim } from '../kit.js';
import { type SoakCounts, soak } from './soak.js';

// npm run test:soak -- --hours 1
// Prints one line of JSON a minute, then a last one with the growth since the first tenth of the time.

const MIB = 1024 * 1024;
const { values } = parseArgs({ options: { hours: { type: 'string', default: '1' } } });
const duration = Number(values.hours) * 3_600_000;
const interval = Math.min(60_000, duration / 20);

const clock = createRealClock();
const directory = mkdtempSync(join(tmpdir(), 'mockri-soak-'));
const stop = new AbortController();
const counts: SoakCounts = { pods: 0, execs: 0, sessions: 0, faults: 0, events: 0, injected: 0 };

/** CPU time of the server in ms (proc(5): utime and stime in hundredths of a second). */
function cpu({ child }: Victim): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

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
