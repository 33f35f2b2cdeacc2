import { describe, expect, it } from 'vitest';
import { sendSignal } from '../support/linux/send-signal.js';
import { createBusyContainer, createTestContainer } from '../support/linux/shell-container.js';

/** Time of the process's end, in ms since its start. */
async function endAfter(script: string, signals: readonly (readonly [at: number, signal: string])[]) {
  const container = await createTestContainer();
  const { clock, processes } = container;
  const { process, end } = await container.start(['sh', '-c', script]);
  let endedAt = -1;
  void process.exit.then(() => {
    endedAt = clock.elapsed();
  });
  for (const [at, signal] of signals) clock.setTimer(at, () => void sendSignal(processes, 1, signal));
  const { stdout, code } = await end();
  return { stdout, code, endedAt };
}

describe('a container whose main process is a shell', () => {
  it('with a trap, ends at TERM only after the foreground command', async () => {
    const script = "trap 'echo bye; exit 0' TERM; while true; do sleep 10; done";
    expect(await endAfter(script, [[12_500, 'TERM']])).toEqual({ stdout: 'bye\n', code: 0, endedAt: 20_000 });
  });

  it('ends at TERM immediately during a wait', async () => {
    const script = "trap 'echo bye; exit 0' TERM; sleep 1000 & wait";
    expect(await endAfter(script, [[1500, 'TERM']])).toEqual({ stdout: 'bye\n', code: 0, endedAt: 1500 });
  });

  it.each([
    ['a program started with exec', 'sleep 60'],
    ['a list', 'sleep 60; true'],
    ['a loop', 'while sleep 60; do exit 0; done'],
  ])('survives TERM as pid 1 without a trap: %s', async (_, script) => {
    expect(await endAfter(script, [[1500, 'TERM']])).toMatchObject({ code: 0, endedAt: 60_000 });
  });

  it('is killed by KILL, together with its children', async () => {
    const container = await createTestContainer();
    const { process } = await container.start(['sh', '-c', 'sleep 60 & sleep 70; echo no']);
    await container.clock.advance(1000);
    expect(container.processes.list().map(({ argv }) => argv.join(' '))).toEqual([
      'sh -c sleep 60 & sleep 70; echo no',
      'sleep 60',
      'sleep 70',
    ]);
    sendSignal(container.processes, 1, 'KILL');
    expect(await process.exit).toEqual({ signal: 'KILL' });
    await container.clock.settle();
    expect(container.processes.list()).toEqual([]);
  });

  it('runs the stages of a pipeline in parallel, and streams their output', async () => {
    const container = await createBusyContainer();
    const { stdout } = await container.start(['sh', '-c', 'for i in 1 2 3; do echo $i; sleep 1; done | cat']);
    await container.clock.advance(1500);
    expect(stdout()).toBe('1\n2\n');
    await container.clock.advance(1000);
    expect(stdout()).toBe('1\n2\n3\n');
  });

  it('keeps a pipe open as long as a background process can write to it', async () => {
    const { stdout, endedAt } = await endAfter('(sleep 5; echo late) & echo early', []);
    expect({ stdout, endedAt }).toEqual({ stdout: 'early\n', endedAt: 0 });
    const piped = await endAfter('{ (sleep 5; echo late) & echo early; } | cat; echo end', []);
    expect(piped).toEqual({ stdout: 'early\nlate\nend\n', code: 0, endedAt: 5000 });
  });

  it('a loop that never waits does not stop the clock', async () => {
    const container = await createBusyContainer();
    const { process } = await container.start(['sh', '-c', 'while :; do :; done']);
    await container.clock.advance(20);
    sendSignal(container.processes, process.pid, 'KILL');
    expect(await process.exit).toEqual({ signal: 'KILL' });
  });

  it.each([
    ['endless forks', '(while :; do sleep 100 & done) 2>/dev/null; echo $?', '2\n'],
    ['endless recursion', 'f() { f; }; (f) 2>/dev/null; echo $?', '2\n'],
    ['endless substitutions', '(x=$(yes)) 2>/dev/null; echo $?', '2\n'],
  ])('outlives %s', async (_, script, stdout) => {
    const container = await createBusyContainer();
    const process = await container.start(['sh', '-c', script]);
    expect(await process.end()).toMatchObject({ stdout });
  });
});
