import { expect, test } from 'vitest';
import { createVirtualClock } from '../../../base/clock/virtual-clock.js';
import { createTape } from '../../../tape/tape.js';
import type { LifecycleStep } from '../../engine/events/lifecycle.js';
import { keepRecent } from './recent.js';

const pod = { name: 'web', namespace: 'default' };
const row = (status: string) => ({ kind: 'row', pod, ready: '0/1', status, restarts: 0 }) as const;

function rig(limits: Partial<Parameters<typeof keepRecent>[1]> = {}) {
  const clock = createVirtualClock();
  const tape = createTape(clock);
  const all = { tape, runtimes: [{ tape, origin: { service: {} as never } }] };
  const recent = keepRecent({ all }, { time: 60e9, entries: 4, characters: 10_000, states: 3, ...limits });
  const shown = () =>
    recent.of(all).map((entry) => ('text' in entry ? entry.text : 'status' in entry && entry.status));
  return { clock, tape, recent, shown };
}

test('remembers the last minutes, and the states that are older', async () => {
  const { clock, tape, recent, shown } = rig();
  tape.write(row('Pending'));
  tape.write(row('Running'));
  tape.write({ kind: 'step', text: 'one' });
  await clock.advance(50_000);
  tape.write({ kind: 'step', text: 'two' });
  expect(shown()).toEqual(['Pending', 'Running', 'one', 'two']);
  expect(recent.from).toBe(0);
  await clock.advance(20_000);
  expect(shown()).toEqual(['Running', 'two']);
  expect(recent.from).toBe(10e9);
});

test('remembers no more entries and characters than it may, and says from when on', async () => {
  const { clock, tape, recent, shown } = rig();
  for (let number = 0; number < 20; number++) {
    tape.write({ kind: 'step', text: `${number}` });
    await clock.advance(1000);
  }
  expect(shown()).toEqual(['16', '17', '18', '19']);
  expect(recent.from).toBe(15e9);
  const long = rig({ characters: 2500 });
  for (let number = 0; number < 4; number++)
    long.tape.write({ kind: 'step', text: `${number}`.repeat(1000) });
  expect(long.shown()).toHaveLength(2);
});

test('asks for no calls and no logs, which cost work', () => {
  const { tape } = rig();
  for (const kind of ['call', 'reply', 'message', 'end', 'log', 'probe'] as const)
    expect(tape.wants(kind)).toBe(false);
});

test('remembers a lifecycle when it ends, with its start; what exists is not remembered', () => {
  const clock = createVirtualClock();
  const tape = createTape(clock);
  let step: (step: LifecycleStep) => void = () => {};
  const watchLifecycle = (listener: typeof step) => {
    step = listener;
    return () => {};
  };
  const all = {
    tape,
    runtimes: [{ tape, origin: { runtime: { watchLifecycle } as never, service: {} as never } }],
  };
  const recent = keepRecent({ all });
  const seconds = (count: number) => tape.startedAt + BigInt(count) * 1_000_000_000n;
  const sandbox = {
    id: 's',
    metadata: { name: 'web', namespace: 'default', uid: 'u', attempt: 0 },
    createdAt: seconds(0),
  };
  const container = (id: string, phase: object) =>
    ({ id, name: 'app', attempt: 0, sandbox, createdAt: seconds(0), phase }) as never;
  const running = { state: 'RUNNING', startedAt: seconds(0) };
  const shown = () =>
    recent
      .of(all)
      .map(
        (entry) =>
          'what' in entry && `${entry.kind === 'container' ? entry.container?.id : 'pod'} ${entry.what}`,
      );

  step({ event: 'STARTED', record: sandbox as never });
  step({ event: 'CREATED', record: container('one', { state: 'CREATED' }) });
  step({ event: 'STARTED', record: container('one', running) });
  expect(shown()).toEqual([]);
  const exited = { ...running, state: 'EXITED', finishedAt: seconds(0), exitCode: 1, reason: 'Error' };
  step({ event: 'STOPPED', record: container('one', exited) });
  expect(shown()).toEqual(['one created', 'one started', 'one ended']);
  step({ event: 'DELETED', record: container('one', exited) });
  step({ event: 'DELETED', record: container('two', running) });
  step({ event: 'STOPPED', record: sandbox as never });
  step({ event: 'DELETED', record: sandbox as never });
  expect(shown().slice(3)).toEqual([
    'one removed',
    'two created',
    'two started',
    'two removed',
    'pod ready',
    'pod stopped',
    'pod removed',
  ]);
});
