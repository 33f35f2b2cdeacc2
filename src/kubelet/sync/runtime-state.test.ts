import { expect, test } from 'vitest';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import type { RuntimeStatus } from '../../cri/gen/runtime/v1/api.js';
import type { RuntimeClient } from '../client/client.js';
import type { Problem } from '../types/reports.js';
import { createRuntimeState } from './runtime-state.js';

const ready = (type: string) => ({ type, status: true, reason: '', message: '' });
const fit: RuntimeStatus = { conditions: [ready('RuntimeReady'), ready('NetworkReady')] };

const textsOf = (problems: readonly Problem[]) => problems.map(({ text }) => text);

function setup(answers: (RuntimeStatus | Error)[]) {
  const clock = createVirtualClock();
  const client = {
    status: async () => {
      const answer = answers.shift() ?? new Error('down');
      if (answer instanceof Error) throw answer;
      return answer;
    },
  } as Partial<RuntimeClient> as RuntimeClient;
  const state = createRuntimeState({ clock, client, plegProblems: () => [], log: () => {} });
  return { clock, state };
}

test('a runtime is down exactly 30 s after its last good reply', async () => {
  const { clock, state } = setup([fit]);
  expect(textsOf(state.runtimeErrors())).toEqual([
    'container runtime status check may not have completed yet',
  ]);
  await state.refresh();
  await clock.advance(29_999);
  await state.refresh();
  expect(textsOf(state.runtimeErrors())).toEqual([]);
  await clock.advance(1);
  expect(textsOf(state.runtimeErrors())).toEqual(['container runtime is down']);
});

test('a missing condition is printed as <nil>, as Go prints nil', async () => {
  const { state } = setup([{ conditions: [ready('RuntimeReady'), ready('Other')] }]);
  expect(textsOf(state.networkErrors())).toEqual(['network state unknown']);
  await state.refresh();
  expect(textsOf(state.networkErrors())).toEqual(['container runtime network not ready: <nil>']);
});

test('a false condition is printed with its reason', async () => {
  const bad = { type: 'RuntimeReady', status: false, reason: 'Asleep', message: 'it sleeps' };
  const { state } = setup([{ conditions: [bad, ready('NetworkReady')] }]);
  await state.refresh();
  expect(textsOf(state.runtimeErrors())).toEqual([
    'container runtime status check may not have completed yet',
    'container runtime not ready: RuntimeReady=false reason:Asleep message:it sleeps',
  ]);
});
