import type { ExitStatus, Process, Program, SignalName } from '../../process/process.js';
import { exitCodeOf, signalName } from '../../process/signals.js';
import { getopt } from '../kit/getopt.js';
import { DONE, failWith, forever, waitFor } from '../kit/io.js';
import { programOf } from '../kit/run-other.js';
import type { CommandTable, Programs } from '../programs.js';

const UNITS: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600, d: 86_400 };

/** Milliseconds of `1.5`, `2m` or `infinity`; undefined for anything else. */
function durationOf(text: string): number | undefined {
  if (/^inf(inity)?$/i.test(text)) return Number.POSITIVE_INFINITY;
  const [, number, unit = ''] = /^(\d+\.?\d*|\.\d+)([smhd]?)$/.exec(text) ?? [];
  return number === undefined ? undefined : Number(number) * (UNITS[unit] ?? 1) * 1000;
}

/** Not an async function: most simulated containers wait here, and each would keep its continuation. */
const sleep: Program = (process) => {
  const args = process.argv.slice(1);
  if (args.length === 0) return failWith(process, 'missing operand');
  const durations = args.map(durationOf);
  const wrong = durations.indexOf(undefined);
  if (wrong >= 0) return failWith(process, `invalid number '${args[wrong]}'`);
  const total = durations.reduce<number>((sum, one) => sum + (one ?? 0), 0);
  if (total === Number.POSITIVE_INFINITY) return forever(process);
  return process.sleep(total).then(done);
};

const done = () => DONE;

interface Limit {
  /** In ms; 0 means none. */
  readonly after: number;
  readonly signal: SignalName;
  /** Time in ms from the signal to KILL; undefined: never. */
  readonly killAfter: number | undefined;
  /** Whether the child's own code counts even after a timeout. */
  readonly preserve: boolean;
}

/** Like coreutils' timeout: 124 on a timeout, 137 if the child had to be killed, otherwise the child's own code. */
const timeout =
  (programs: Programs): Program =>
  async (process) => {
    const long = { signal: 's', 'kill-after': 'k', 'preserve-status': 'p', foreground: 'f' };
    const options = getopt(process.argv.slice(1), 's:k:pf', { long, stopAtOperand: true });
    const [time = '', ...argv] = options.operands;
    const after = durationOf(time);
    const signal = signalName(options.value('s') ?? 'TERM');
    if (after === undefined) return failWith(process, `invalid time interval '${time}'`, 125);
    if (signal === undefined) return failWith(process, `bad signal name '${options.value('s')}'`, 125);
    if (argv.length === 0) return failWith(process, 'missing operand', 125);
    const killAfter = durationOf(options.value('k') ?? '');
    const program = await programOf(programs, process, argv);
    return runLimited(process, argv, program, { after, signal, killAfter, preserve: options.has('p') });
  };

async function runLimited(
  process: Process,
  argv: readonly string[],
  program: Program,
  { after, signal, killAfter, preserve }: Limit,
): Promise<ExitStatus> {
  const child = process.spawn({ argv, program, group: 'new' });
  let expired = false;
  for (const passed of ['TERM', 'INT', 'HUP']) process.onSignal(passed, () => child.group.signal(passed));
  const later = (delay: number, action: () => void) => process.clock.setTimer(delay, action);
  const timers = [];
  if (after > 0 && Number.isFinite(after)) {
    timers.push(
      later(after, () => {
        expired = true;
        child.group.signal(signal);
      }),
    );
    if (killAfter !== undefined) timers.push(later(after + killAfter, () => child.group.signal('KILL')));
  }
  try {
    const status = await waitFor(process, child.exit);
    if (!expired || preserve) return { code: exitCodeOf(status) };
    return { code: status.signal === 'KILL' ? 137 : 124 };
  } finally {
    for (const timer of timers) timer.cancel();
  }
}

/** `time` of busybox: prints a command's duration on standard error. */
const time =
  (programs: Programs): Program =>
  async (process) => {
    const args = process.argv.slice(1);
    const argv = args[0] === '-p' ? args.slice(1) : args;
    const began = process.clock.elapsed();
    const child = process.spawn({ argv, program: await programOf(programs, process, argv) });
    const status = await waitFor(process, child.exit);
    const seconds = (process.clock.elapsed() - began) / 1000;
    const real = `${Math.floor(seconds / 60)}m ${(seconds % 60).toFixed(2)}s`;
    await process.stderr.write(Buffer.from(`real\t${real}\nuser\t0m 0.00s\nsys\t0m 0.00s\n`));
    return { code: exitCodeOf(status) };
  };

/** On the container's clock: in virtual time a sleep takes no real time. */
export const processTimeCommands = (programs: Programs): CommandTable => ({
  sleep,
  timeout: timeout(programs),
  time: time(programs),
});
