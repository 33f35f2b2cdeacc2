import { exitCodeOf, signalName, signalNumber } from '../../process/signals.js';
import type { Builtin } from '../execution/builtin.js';
import { CommandError } from '../execution/control-flow.js';
import { waitForJob } from '../execution/foreground.js';
import type { Job } from '../execution/jobs.js';
import { reportDeath } from '../execution/processes.js';
import { complain, type Shell, waitInterruptibly, write } from '../execution/shell.js';

/** Job control without `bg`, because nothing can be stopped. */
export const jobBuiltins: readonly (readonly [string, Builtin])[] = [
  ['wait', { special: false, run: wait }],
  ['kill', { special: false, run: kill }],
  ['jobs', { special: false, run: jobs }],
  ['fg', { special: false, run: foreground }],
];

/** Waits for jobs, all of them without arguments. A trapped signal ends it immediately with 128 + n (POSIX 2.11). */
async function wait(shell: Shell, args: readonly string[]): Promise<number> {
  if (args.length === 0) return waitForAll(shell);
  let status = 0;
  for (const arg of args) {
    const job = arg.startsWith('%') ? shell.jobs.find(arg) : shell.jobs.byPid(Number(arg));
    if (job === undefined) {
      status = arg.startsWith('%') ? 2 : 127;
      if (arg.startsWith('%')) await complain(shell, `${arg}: no such job`, 'wait');
      continue;
    }
    const ended = await waitForEnd(shell, job);
    if (ended.caught !== undefined) return ended.caught;
    await reportDeath(shell, await job.ended);
    shell.jobs.remove(job);
    status = exitCodeOf(await job.ended);
  }
  return status;
}

async function waitForAll(shell: Shell): Promise<number> {
  for (const job of [...shell.jobs.list()]) {
    const ended = await waitForEnd(shell, job);
    if (ended.caught !== undefined) return ended.caught;
  }
  return 0;
}

async function waitForEnd(shell: Shell, job: Job): Promise<{ caught: number | undefined }> {
  const result = await waitInterruptibly(shell, (signal) => abortable(shell, job.ended, signal));
  return { caught: 'caught' in result ? 128 + (signalNumber(result.caught) ?? 0) : undefined };
}

function abortable<T>(shell: Shell, promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return shell.process.clock.idle(
    new Promise<T>((resolve, reject) => {
      const abort = () => reject(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
    }),
  );
}

/** `kill [-s SIGNAL | -SIGNAL] pid|%job…`, `kill -l [number]` */
async function kill(shell: Shell, args: readonly string[]): Promise<number> {
  const fail = async (message: string) => {
    await write(shell, 2, `${shell.arg0}: ${message}\n`);
    return 1;
  };
  if (args[0] === '-l') return listSignals(shell, args.slice(1));
  const { name, targets } = parseKill(args);
  const signal = signalName(name);
  if (signal === undefined && name !== '0') return fail(`bad signal name '${name}'`);
  if (targets.length === 0) return fail('you need to specify whom to kill');
  let status = 0;
  for (const target of targets) {
    const error = send(shell, target, signal);
    if (error) status = await fail(error);
  }
  return status;
}

function parseKill(args: readonly string[]): { name: string; targets: readonly string[] } {
  const [first = '', second = '', ...rest] = args;
  if (first === '-s' || first === '-n') return { name: second, targets: rest };
  if (/^-./.test(first) && first !== '--') return { name: first.slice(1), targets: args.slice(1) };
  return { name: 'TERM', targets: first === '--' ? args.slice(1) : args };
}

/** Returns the error, if any. A negative PID is a process group. */
function send(shell: Shell, target: string, signal: string | undefined): string | undefined {
  const { container, group } = shell.process;
  if (target.startsWith('%')) {
    const job = shell.jobs.find(target);
    if (job === undefined) throw new CommandError(`${target}: no such job`, 2, 'kill');
    if (signal && job.group) job.group.signal(signal);
    else if (signal) for (const { pid } of job.processes) container.kill(pid, signal);
    return undefined;
  }
  if (!/^-?\d+$/.test(target)) return `invalid number '${target}'`;
  const pid = Number(target);
  const missing = `can't kill pid ${target}: No such process`;
  if (pid > 0)
    return container.processes().some((one) => one.pid === pid) && (!signal || container.kill(pid, signal))
      ? undefined
      : missing;
  const found = pid === 0 ? group : container.processes().find((one) => one.group.id === -pid)?.group;
  if (signal) found?.signal(signal);
  return found ? undefined : missing;
}

async function listSignals(shell: Shell, [number]: readonly string[]): Promise<number> {
  const all = Array.from({ length: 31 }, (_, index) => index + 1);
  if (number === undefined) {
    const lines = all.map((one) => `${String(one).padStart(2)}) ${signalName(String(one))}\n`);
    await write(shell, 1, lines.join(''));
    return 0;
  }
  const plain = Number(number) > 128 ? String(Number(number) - 128) : number;
  const name = signalName(plain);
  const text = /^\d+$/.test(plain) ? name : name && String(signalNumber(name));
  await write(shell, 1, `${text ?? number}\n`);
  return 0;
}

async function jobs(shell: Shell): Promise<number> {
  for (const job of [...shell.jobs.list()].reverse()) await write(shell, 1, describeJob(shell, job));
  for (const job of [...shell.jobs.list()]) if (job.status !== undefined) shell.jobs.remove(job);
  return 0;
}

/** `[1]+  Running                    sleep 100` */
export function describeJob(shell: Shell, job: Job): string {
  const all = shell.jobs.list();
  const sign = job === all.at(-1) ? '+' : job === all.at(-2) ? '-' : ' ';
  const { status } = job;
  const state =
    status === undefined
      ? 'Running'
      : status.signal !== undefined
        ? status.signal === 'KILL'
          ? 'Killed'
          : 'Terminated'
        : status.code === 0
          ? 'Done'
          : `Done(${status.code})`;
  return `[${job.id}]${sign}  ${state.padEnd(27)}${job.text}\n`;
}

async function foreground(shell: Shell, [target = '%+']: readonly string[]): Promise<number> {
  const job = shell.jobs.find(target);
  if (job === undefined) {
    await complain(shell, `${target}: no such job`, 'fg');
    return 2;
  }
  await write(shell, 1, `${job.text}\n`);
  shell.jobs.remove(job);
  return waitForJob(shell, job.processes);
}
