import { describe, expect, test } from 'vitest';
import { statesAfter } from '../conformance/linearize.js';
import {
  type Action,
  type ContainerIs,
  type PodState,
  podModel,
  type Result,
  type SandboxIs,
} from './pod-model.js';

/** The states after calls at the same time, in short: `READY c1=RUNNING`. */
function statesOf(
  before: PodState,
  calls: readonly (readonly [Action, Result])[],
  { ends = [], canForce = true }: { ends?: readonly string[]; canForce?: boolean } = {},
): string[] {
  const together = calls.map(([action]) => action);
  const history = calls.map(([input, output], client) => ({
    ...{ client, input, output, calledAt: 0, returnedAt: 1 },
  }));
  const model = podModel(together, { ends: new Set(ends), canForce });
  return statesAfter(history, [before], model)
    .map(({ sandbox, containers }) =>
      [sandbox, ...Object.entries(containers).map(([name, is]) => `${name}=${is}`)].join(' '),
    )
    .sort();
}

const pod = (c1: ContainerIs, sandbox: SandboxIs = 'READY'): PodState => ({ sandbox, containers: { c1 } });
const does = (kind: 'create' | 'start' | 'stop' | 'remove' | 'look'): Action => ({ kind, container: 'c1' });

describe('one call', () => {
  test.each([
    ['a created container starts', pod('CREATED'), does('start'), 'OK', ['READY c1=RUNNING']],
    ['a running one does not start again', pod('RUNNING'), does('start'), 'OK', []],
    ['a start of a created one may not be refused', pod('CREATED'), does('start'), 'refused', []],
    [
      'one that can’t start in a stopped pod may have ended',
      pod('CREATED', 'NOTREADY'),
      does('start'),
      'refused',
      ['NOTREADY c1=CREATED', 'NOTREADY c1=EXITED'],
    ],
    ['nor a stop of a running one', pod('RUNNING'), does('stop'), 'refused', []],
    ['a running one is seen as running', pod('RUNNING'), does('look'), 'CREATED', []],
    ['a removed one is not seen', pod('gone'), does('look'), 'EXITED', []],
    ['a removed pod takes its containers', pod('RUNNING'), { kind: 'remove pod' }, 'OK', ['gone']],
    ['a stopped pod does not become ready', pod('EXITED', 'NOTREADY'), { kind: 'look at pod' }, 'READY', []],
  ] as const)('%s', (_, before, action, result, expected) => {
    expect(statesOf(before, [[action, result]])).toEqual(expected);
  });

  test('a program that ends by itself may be seen before and after its end', () => {
    const look = (result: Result) => statesOf(pod('RUNNING'), [[does('look'), result]], { ends: ['c1'] });
    expect(look('RUNNING')).toEqual(['READY c1=RUNNING']);
    expect(look('EXITED')).toEqual(['READY c1=EXITED']);
    expect(look('CREATED')).toEqual([]);
  });

  test('a strict runtime refuses the removal of what runs', () => {
    const remove = [[does('remove'), 'refused']] as const;
    expect(statesOf(pod('RUNNING'), remove)).toEqual([]);
    expect(statesOf(pod('RUNNING'), remove, { canForce: false })).toEqual(['READY c1=RUNNING']);
    expect(statesOf(pod('EXITED'), remove, { canForce: false })).toEqual([]);
  });
});

describe('calls at the same time', () => {
  test('of two starts one is OK', () => {
    const starts = (...results: Result[]) =>
      statesOf(
        pod('CREATED'),
        results.map((result) => [does('start'), result] as const),
      );
    expect(starts('OK', 'refused')).toEqual(['READY c1=RUNNING']);
    expect(starts('OK', 'OK')).toEqual([]);
  });

  test('a stop may come before or after a start', () => {
    const states = statesOf(pod('CREATED'), [
      [does('start'), 'OK'],
      [does('stop'), 'OK'],
    ]);
    expect(states).toEqual(['READY c1=EXITED', 'READY c1=RUNNING']);
  });

  test('what is seen leaves fewer orders', () => {
    const states = statesOf(pod('RUNNING'), [
      [does('remove'), 'OK'],
      [does('look'), 'CREATED'],
    ]);
    expect(states).toEqual([]);
  });
});
