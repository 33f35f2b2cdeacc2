import { expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/base/clock/virtual-clock.js';
import type { ContainerExit, ContainerSpec } from '../../../src/runtime/engine/backend.js';
import type { Context } from '../context.js';
import { DockerContainer } from './docker-container.js';

const running = { State: { Running: true } };
const exited = {
  State: {
    Running: false,
    ExitCode: 3,
    OOMKilled: false,
    Error: '',
    FinishedAt: '2026-01-01T00:00:00.000000001Z',
  },
};
const refusal = (statusCode: number) => Object.assign(new Error('server error'), { statusCode });
const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

const killed = { State: { ...exited.State, ExitCode: 137 } };
const outOfMemory = { State: { ...killed.State, OOMKilled: true } };
const config = { linux: { resources: { memoryLimitInBytes: 1n } } };

/** A container that runs, and answers to `inspect` as given, one by one. */
async function adoptContainer(...answers: (object | Error)[]) {
  const exits: ContainerExit[] = [];
  const warnings: string[] = [];
  const clock = createVirtualClock();
  const inspect = async () => {
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const context = {
    clock,
    docker: { getContainer: () => ({ inspect }) },
    host: { containerExited: (exit: ContainerExit) => exits.push(exit) },
    untilConnected: async () => {},
    warn: (message: string) => warnings.push(message),
  } as unknown as Context;
  const container = new DockerContainer(context, { id: 'c1', config } as ContainerSpec, 'SIGTERM');
  await container.adopt(true, false);
  return { clock, container, exits, warnings, answers };
}

it.each([
  ['fails', refusal(500), ["container c1 can't be inspected"]],
  ['is cut off', reset, []],
])('loses no exit when the request that looks into it %s', async (_how, failure, told) => {
  const { clock, container, exits, warnings } = await adoptContainer(failure, failure, exited);
  const checked = container.checkEnd();
  expect(await clock.runUntil(() => exits.length > 0, 1000)).toBe(true);
  await checked;
  expect(exits).toEqual([{ containerId: 'c1', exitCode: 3, finishedAt: 1_767_225_600_000_000_001n }]);
  expect(warnings).toEqual(told);
});

it('looks again when something happens during a look', async () => {
  const { container, exits } = await adoptContainer(running, exited);
  await Promise.all([container.checkEnd(), container.checkEnd()]);
  expect(exits).toHaveLength(1);
});

it('reports an exit once', async () => {
  const { container, exits, answers } = await adoptContainer(exited, exited);
  await Promise.all([container.checkEnd(), container.checkEnd()]);
  await container.checkEnd();
  expect(exits).toHaveLength(1);
  expect(answers).toHaveLength(1);
});

it('asks no more once it is closed', async () => {
  const { container, exits } = await adoptContainer(reset, exited);
  const checked = container.checkEnd();
  await container.close();
  await checked;
  expect(exits).toEqual([]);
});

it.each([
  ['OOMKilled, which Docker learns after the exit', outOfMemory, { reason: 'OOMKilled' }],
  ['none when something else killed it', killed, {}],
])('has the reason %s', async (_what, later, reason) => {
  const { clock, container, exits } = await adoptContainer(killed, later);
  void container.checkEnd();
  expect(await clock.runUntil(() => exits.length > 0, 1000)).toBe(true);
  expect(exits).toEqual([
    { containerId: 'c1', exitCode: 137, ...reason, finishedAt: 1_767_225_600_000_000_001n },
  ]);
});
