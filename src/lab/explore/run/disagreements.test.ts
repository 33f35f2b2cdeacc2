import { expect, test } from 'vitest';
import type { SimulatedRow, Simulation } from '../../scenario/run/run.js';
import { disagreements } from './disagreements.js';

/** A run with the rows of `1.5 web 1/1 Running 0`. */
function runOf(...lines: readonly string[]): Simulation {
  const rows = lines.map((line): SimulatedRow => {
    const [t, pod = '', ready = '', status = '', restarts] = line.split(' ');
    return { t: Number(t), pod, ready, status, restarts: Number(restarts) };
  });
  return { rows } as unknown as Simulation;
}

const messages = (program: Simulation, thin: Simulation) =>
  disagreements(program, thin, [], 200_000).map(({ rule, pod, message }) => `${rule} ${pod}: ${message}`);

const up = ['1 web 0/1 ContainerCreating 0', '3 web 1/1 Running 0'];

test('the same rows at other times agree', () => {
  expect(messages(runOf(...up), runOf('1.2 web 0/1 ContainerCreating 0', '4 web 1/1 Running 0'))).toEqual([]);
});

test('of each pod the first row is named that only one kubelet shows', () => {
  const program = runOf(...up, '9 web 0/1 Error 0', '19 web 0/1 CrashLoopBackOff 0', '2 b 0/1 Pending 0');
  const thin = runOf(...up, '9 web 0/1 Error 0', '2 b 0/1 Pending 0', '5 b 1/1 Running 0');
  expect(messages(program, thin)).toEqual([
    'kubelets-agree web: at 19.0s the program shows 0/1 CrashLoopBackOff 0, and the thin kubelet does not',
    'kubelets-agree b: at 5.0s the thin kubelet shows 1/1 Running 0, and the program does not',
  ]);
});

test('rows of less than half a second don’t count, and what is equal around them is one row', () => {
  const program = runOf(...up, '9 web 0/1 Error 0', '9.3 web 1/1 Running 1');
  const thin = runOf(...up, '9 web 1/1 Running 1', '20 web 0/1 Error 1', '20.2 web 1/1 Running 1');
  expect(messages(program, thin)).toEqual([]);
});

test('a row of the last 90 s may come after the end for the other kubelet', () => {
  expect(messages(runOf(...up, '110.5 web 0/1 Error 0'), runOf(...up))).toEqual([]);
  expect(messages(runOf(...up, '109.5 web 0/1 Error 0'), runOf(...up))).toHaveLength(1);
});
