import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createRealClock } from '../../../src/base/clock/real-clock.js';
import { turn } from '../../../src/base/clock/turn.js';
import { createVirtualClock } from '../../../src/base/clock/virtual-clock.js';
import { Account } from '../../../src/base/input/account.js';
import { commandNames, createPrograms } from '../../../src/linux/commands/index.js';
import { Cpu } from '../../../src/linux/process/cpu.js';
import type { ContainerView } from '../../../src/linux/process/process.js';
import { ProcessTable } from '../../../src/linux/process/process-table.js';
import { containerFiles, noNetwork, someView } from '../../support/linux/container-files.js';
import { sendSignal } from '../../support/linux/send-signal.js';

const MIB = 1024 * 1024;
/** What the container's processes may hold, and what its files may take, in bytes. */
const LIMIT = 32 * MIB;
/** What the process may hold in addition to the account, in bytes: at most 20 MiB were seen, before V8 gave back what it had. */
const UNPAID = LIMIT;
/** A script is killed after so much time of its clock, or so much processor time, in ms. */
const [DEADLINE, PATIENCE] = [2000, 300];

setFlagsFromString('--expose-gc');
const gc: () => void = runInNewContext('gc');

/** Processor time of this thread so far, in ms (proc(5), schedstat): what others do on the machine is not in it. */
const processorTime = (): number =>
  Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;

function memory(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** What is reachable, in bytes. Buffers that the first collection finds are freed when the next one begins. */
function reachable(): number {
  gc();
  gc();
  return memory();
}

/** The processor time of some work, in ms: of some tries the least and the most. */
function timeOf(work: () => unknown): { readonly least: number; readonly most: number } {
  const tries = Array.from({ length: 5 }, () => {
    const began = processorTime();
    work();
    return processorTime() - began;
  });
  return { least: Math.min(...tries), most: Math.max(...tries) };
}

/**
 * What a block may take at most, in ms of processor time: three times what sorting takes here and now, and one collection of
 * this process's garbage. The first is about 100 ms where no script was seen to block for more than 50: a difference of two
 * comes from the machine, one of ten from the shell. The second is that of the tests that ran here before, not of a server.
 */
export function allowedBlock(): number {
  const sorting = timeOf(() =>
    Array.from({ length: 80_000 }, (_, index) => String((index * 7919) % 80_021)).sort(),
  );
  return 3 * sorting.least + timeOf(gc).most;
}

/** What a script did to the process that it ran in. */
export interface Effect {
  /** The longest time between two turns of the event loop, in ms of processor time. */
  readonly block: number;
  /** Bytes that the process held beyond what the container's processes and files pay for, at the worst time. */
  readonly unpaid: number;
  readonly isKilled: boolean;
  readonly oomKills: number;
}

/**
 * Runs a script in a container of 32 MiB: on a virtual clock, and with its processes in line for the processor as on a real one.
 * Kills what has not ended by then. Rejects if something is left.
 */
export async function runContained(script: string): Promise<Effect> {
  const clock = createVirtualClock();
  const files = new Account(LIMIT);
  const view: ContainerView = {
    ...someView,
    memoryLimit: LIMIT,
    processes: () => processes.list(),
    kill: (pid, signal) => sendSignal(processes, pid, signal),
    ownProcesses: () => processes.list(),
  };
  const fs = containerFiles('busybox', {}, view, commandNames, clock, undefined, files);
  const cpu = new Cpu(createRealClock());
  const processes: ProcessTable = new ProcessTable({ clock, fs, view, cpu, ...noNetwork });
  const kill = () => processes.killAll({ signal: 'KILL' });
  const user = { uid: 0, gid: 0, groups: [0], name: 'root' };
  const env = new Map([['PATH', '/bin']]);
  const program = await createPrograms().find('sh', { fs, cwd: '/', env });
  if (program === undefined) throw new Error('no shell');
  // Pid 1, so that the script can be killed by itself.
  processes.start({
    argv: ['init'],
    program: (process) => process.sleep(2 * DEADLINE).then(() => ({ code: 0 })),
    user,
  });
  const meter = watch(() => processes.memoryUsed + files.used, kill);
  const { exit } = processes.start({ argv: ['sh', '-c', script], program, user, env, cwd: '/tmp' });
  let isOver = false;
  void exit.then(() => {
    isOver = true;
  });
  await clock.runUntil(() => isOver, DEADLINE);
  const isKilled = !isOver || (await exit).signal === 'KILL';
  kill();
  await clock.settle();
  const worst = await meter();
  const { memoryUsed, oomKills } = processes;
  if (processes.list().length > 0 || memoryUsed > 0) throw new Error(`${memoryUsed} bytes are left`);
  return { ...worst, isKilled, oomKills };
}

/** What the process holds without a container, in bytes, when this was last looked at. */
let empty = Number.POSITIVE_INFINITY;

/** Looks at this process in each turn of the event loop, until the end is called, which answers the worst. */
function watch(
  paid: () => number,
  outOfPatience: () => void,
): () => Promise<Pick<Effect, 'block' | 'unpaid'>> {
  let [block, held] = [0, 0];
  empty = Math.min(empty, memory());
  let isOver = false;
  let left = PATIENCE;
  const look = async () => {
    for (let last = processorTime(); !isOver; last = processorTime()) {
      await turn();
      const time = processorTime() - last;
      block = Math.max(block, time);
      left -= time;
      if (left < 0) outOfPatience();
      // Most of it is garbage; the rest is worth a collection only where it would be too much.
      if (memory() - empty - paid() > Math.max(held - empty, UNPAID))
        held = Math.max(held, reachable() - paid());
    }
  };
  const looking = look();
  return async () => {
    isOver = true;
    await looking;
    if (held > 0) empty = reachable();
    return { block, unpaid: Math.max(0, held - empty) };
  };
}

/** What is wrong with the effect of a script; undefined if nothing is. */
export function complaint({ block, unpaid }: Effect, allowed: number): string | undefined {
  if (block > allowed) return `the event loop was blocked for ${Math.round(block)} ms`;
  return unpaid > UNPAID ? `${Math.round(unpaid / MIB)} MiB were held that nobody pays for` : undefined;
}
