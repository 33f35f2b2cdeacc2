import { describe, expect, it } from 'vitest';
import { noNetwork } from '../../../test/support/linux/container-files.js';
import { sendSignal } from '../../../test/support/linux/send-signal.js';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import type { ContainerFiles } from '../fs/file-system.js';
import { createPipe } from './pipe.js';
import type { ContainerView, ExitStatus, Program } from './process.js';
import { ProcessTable } from './process-table.js';

const clock = createVirtualClock();
const user = { uid: 0, gid: 0, groups: [], name: 'root' };
const table = (): ProcessTable =>
  new ProcessTable({
    clock,
    fs: { as: () => ({}) } as unknown as ContainerFiles,
    view: {} as ContainerView,
    ...noNetwork,
  });

const sleeper: Program = async (process) => {
  await process.sleep(60_000);
  return { code: 0 };
};

async function endOf(exit: Promise<ExitStatus>): Promise<ExitStatus> {
  await clock.advance(120_000);
  return exit;
}

describe('process table', () => {
  it('lets pid 1 survive signals that it does not handle, except KILL', async () => {
    const processes = table();
    const init = processes.start({ argv: ['sleep'], program: sleeper, user });
    sendSignal(processes, 1, 'TERM');
    sendSignal(processes, 1, 'INT');
    expect(await endOf(init.exit)).toEqual({ code: 0 });

    const other = table();
    const killed = other.start({ argv: ['sleep'], program: sleeper, user });
    sendSignal(other, 1, 'KILL');
    expect(await killed.exit).toEqual({ signal: 'KILL' });
  });

  it('ends other processes by a signal that they do not handle', async () => {
    const processes = table();
    processes.start({ argv: ['init'], program: sleeper, user });
    const exec = processes.start({ argv: ['sleep'], program: sleeper, user });
    sendSignal(processes, exec.pid, 'TERM');
    expect(await exec.exit).toEqual({ signal: 'TERM' });
  });

  it('hands ignored signals on to children and to the next program, but not caught ones', async () => {
    const processes = table();
    const program: Program = async (process) => {
      process.onSignal('INT', 'ignore');
      process.onSignal('TERM', () => {});
      const child = process.spawn({ argv: ['child'], program: sleeper });
      return process.exec({
        argv: ['next'],
        program: async () => {
          sendSignal(processes, child.pid, 'INT');
          sendSignal(processes, process.pid, 'INT');
          sendSignal(processes, child.pid, 'TERM');
          expect(await child.exit).toEqual({ signal: 'TERM' });
          expect(process.argv).toEqual(['next']);
          sendSignal(processes, process.pid, 'TERM');
          return { code: 0 };
        },
      });
    };
    processes.start({ argv: ['init'], program: sleeper, user });
    const started = processes.start({ argv: ['first'], program, user });
    expect(await endOf(started.exit)).toEqual({ signal: 'TERM' });
  });

  it('takes time, and no more memory, for a program that replaces itself forever', async () => {
    const processes = table();
    const argv = ['x'.repeat(1000)];
    const used: number[] = [];
    const program: Program = (process) => {
      used.push(processes.memoryUsed);
      return process.exec({ argv, program });
    };
    const { exit } = processes.start({ argv, program, user });
    await clock.advance(10);
    expect(used.length).toBeGreaterThan(100);
    expect(new Set(used.slice(1)).size).toBe(1);
    processes.killAll({ signal: 'KILL' });
    expect(await exit).toEqual({ signal: 'KILL' });
    expect(processes.memoryUsed).toBe(0);
  });

  it('signals the processes of a group, and no others', async () => {
    const processes = table();
    processes.start({ argv: ['init'], program: sleeper, user });
    const program: Program = async (process) => {
      const inside = process.spawn({ argv: ['inside'], program: sleeper });
      const outside = process.spawn({ argv: ['outside'], program: sleeper, group: 'new' });
      process.onSignal('TERM', () => {});
      process.group.signal('TERM');
      expect(await inside.exit).toEqual({ signal: 'TERM' });
      return { code: outside.killed.aborted ? 1 : 0 };
    };
    expect(await endOf(processes.start({ argv: ['leader'], program, user }).exit)).toEqual({ code: 0 });
  });

  it('takes nothing from a pipe for a process that was killed while it read', async () => {
    const processes = table();
    processes.start({ argv: ['init'], program: sleeper, user });
    const pipe = createPipe(clock);
    const reader: Program = async (process) => ({ code: (await process.stdin.read())?.length ?? 0 });
    const first = processes.start({ argv: ['cat'], program: reader, user, stdin: pipe });
    await clock.settle();
    sendSignal(processes, first.pid, 'KILL');
    const second = processes.start({ argv: ['cat'], program: reader, user, stdin: pipe });
    await pipe.write(Buffer.from('abc'));
    expect(await second.exit).toEqual({ code: 3 });
  });

  it('ends a writer by PIPE when nobody reads any more', async () => {
    const processes = table();
    processes.start({ argv: ['init'], program: sleeper, user });
    const pipe = createPipe(clock);
    const writer: Program = async (process) => {
      for (;;) await process.stdout.write(Buffer.alloc(4096));
    };
    const yes = processes.start({ argv: ['yes'], program: writer, user, stdout: pipe });
    await pipe.read();
    pipe.close();
    expect(await yes.exit).toEqual({ signal: 'PIPE' });
  });

  it('lets time pass for a program that only writes', async () => {
    const processes = table();
    const program: Program = async (process) => {
      for (;;) await process.stdout.write(Buffer.alloc(4096));
    };
    const yes = processes.start({ argv: ['yes'], program, user });
    clock.setTimer(1000, () => void sendSignal(processes, 1, 'KILL'));
    await clock.advance(1000);
    expect(await yes.exit).toEqual({ signal: 'KILL' });
  });
});
