import { Cpu } from '../../../src/base/clock/cpu.js';
import { createRealClock } from '../../../src/base/clock/real-clock.js';
import { createVirtualClock } from '../../../src/base/clock/virtual-clock.js';
import { Account } from '../../../src/base/input/account.js';
import { commandNames, createPrograms } from '../../../src/linux/commands/index.js';
import type { ContainerView } from '../../../src/linux/process/process.js';
import { ProcessTable } from '../../../src/linux/process/process-table.js';
import { containerFiles, noNetwork, someView } from '../../support/linux/container-files.js';
import { sendSignal } from '../../support/linux/send-signal.js';
import { MIB, type Observed, Observer, type Patience } from './observer.js';

/** Memory of the container's processes, and of its files, in bytes. */
const LIMIT = 32 * MIB;
/** Time on its clock after which a script is killed, in ms. */
const DEADLINE = 2000;

/** What scripts find in their variables and their directory. */
const VARIABLES = "a=x b='x y,z' i=0\n";
const FILES: Readonly<Record<string, Buffer>> = {
  f: Buffer.from(Array.from({ length: 500 }, (_, index) => `${index + 1}\n`).join('')),
  g: Buffer.alloc(70_000),
  r: Buffer.from('x,y z\n'),
};

const programs = createPrograms();

/** The effects of a script on the process that ran it. */
export interface Effect extends Observed {
  readonly isKilled: boolean;
  readonly oomKills: number;
}

/**
 * Runs a script in a container of 32 MiB: on a virtual clock, with its processes queued for the CPU as on a real
 * machine. Kills it at the deadline, or after its processor time. Rejects if anything is left.
 */
export async function runContained(script: string, patience: Patience): Promise<Effect> {
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
  await fs.mkdir('/tmp/d');
  for (const [name, bytes] of Object.entries(FILES)) await fs.writeFile(`/tmp/${name}`, bytes);
  const cpu = new Cpu(createRealClock());
  const processes: ProcessTable = new ProcessTable({ clock, fs, view, cpu, ...noNetwork });
  const kill = () => processes.killAll({ signal: 'KILL' });
  const user = { uid: 0, gid: 0, groups: [0], name: 'root' };
  const env = new Map([['PATH', '/bin']]);
  const program = await programs.find('sh', { fs, cwd: '/', env });
  if (program === undefined) throw new Error('no shell');
  // PID 1, so that the script can be killed alone.
  processes.start({
    argv: ['init'],
    program: (process) => process.sleep(2 * DEADLINE).then(() => ({ code: 0 })),
    user,
  });
  const observer = new Observer(() => processes.memoryUsed + files.used, patience, kill);
  const { exit } = processes.start({
    argv: ['sh', '-c', VARIABLES + script],
    program,
    user,
    env,
    cwd: '/tmp',
  });
  let isOver = false;
  void exit.then(() => {
    isOver = true;
  });
  await clock.runUntil(() => isOver, DEADLINE);
  const isKilled = !isOver || (await exit).signal === 'KILL';
  kill();
  await clock.settle();
  const observed = await observer.end();
  const { memoryUsed, oomKills } = processes;
  if (processes.list().length > 0 || memoryUsed > 0) throw new Error(`${memoryUsed} bytes are left`);
  return { ...observed, isKilled, oomKills };
}
