import { beforeAll, expect, test } from 'vitest';
import { type Candidate, candidatesOf } from '../../src/lab/explore/catalog/catalog.js';
import { createRunner } from '../../src/lab/explore/run/runner.js';
import { perturbed } from '../../src/lab/explore/run/schedule.js';
import { simulateChecked } from '../../src/lab/scenario/expect/checked-run.js';
import type { LoadedScenario } from '../../src/lab/scenario/file/loaded-scenario.js';
import { createRecordedNode } from '../support/recordings/node.js';
import { subject } from './subject.js';

const hook = { exec: { command: ['true'] } };
const livenessProbe = { exec: { command: ['true'] }, timeoutSeconds: 3, periodSeconds: 20 };
const containers = [{ name: 'app', image: 'nginx:1', livenessProbe, lifecycle: { postStart: hook } }];
const manifest = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web' },
  spec: { terminationGracePeriodSeconds: 5, containers },
};

let scenario: LoadedScenario;
let candidates: Candidate[];
beforeAll(async () => {
  scenario = await subject({
    pods: [{ manifest, behaviors: { app: 'run' } }],
    timeline: [{ at: '40s', do: { removePod: 'web' } }],
  });
  candidates = candidatesOf((await createRunner(scenario).run([])).points);
});

const kinds = () => [...new Set(candidates.map(({ perturbation }) => perturbation.kind))];
const delaysOf = (method: string) =>
  kinds()
    .filter((kind) => kind.startsWith('delay') && kind.endsWith(` ${method}`))
    .sort();

test.each([
  // runtimeRequestTimeout, and twice that.
  ['StartContainer', ['delay 119s StartContainer', 'delay 125s StartContainer', 'delay 3s StartContainer']],
  ['RunPodSandbox', ['delay 239s RunPodSandbox', 'delay 245s RunPodSandbox', 'delay 3s RunPodSandbox']],
  // The grace period and the timeout of the command come on top.
  ['StopContainer', ['delay 124s StopContainer', 'delay 130s StopContainer', 'delay 3s StopContainer']],
  ['ExecSync', ['delay 122s ExecSync', 'delay 125s ExecSync', 'delay 128s ExecSync', 'delay 3s ExecSync']],
  // The kubelet waits for it as long as it takes.
  ['PullImage', ['delay 125s PullImage', 'delay 3s PullImage']],
  // The runtime is down after 30 s without a status, which comes every five seconds.
  [
    'Status',
    [
      'delay 119s Status',
      'delay 125s Status',
      'delay 24s Status',
      'delay 25s for 40s Status',
      'delay 35s Status',
      'delay 3s Status',
    ],
  ],
])('%s is delayed to just below and beyond its timeouts', (method, expected) => {
  expect(delaysOf(method)).toEqual(expected);
});

test('the timeout is that of the kubelet configuration', async () => {
  const config = { runtimeRequestTimeout: '30s' };
  const { points } = await createRunner(await subject({ kubelet: { config } })).run([]);
  const delays = candidatesOf(points).map(({ perturbation }) => perturbation.kind);
  expect(delays).toContain('delay 29s StartContainer');
  expect(delays).toContain('delay 35s StartContainer');
  expect(delays).toContain('delay 65s RunPodSandbox');
});

test("a program's deadline is a whole number of seconds, despite transmission times", () => {
  const call = { what: 'call', method: 'StartContainer', at: 0, state: '', before: 0 } as const;
  const delays = candidatesOf({ points: [{ ...call, timeout: 119_998.907 }], moments: [], states: [] });
  const found = delays
    .map(({ perturbation }) => perturbation.kind)
    .filter((kind) => /^delay \S+ S/.test(kind));
  expect(found).toEqual([
    'delay 3s StartContainer',
    'delay 119s StartContainer',
    'delay 125s StartContainer',
  ]);
});

test('the runtime is restarted for 0.1 s to minutes', () => {
  const restarts = kinds().filter((kind) => kind.startsWith('runtime restarted'));
  const within = (state: string, ...times: string[]) =>
    times.map((time) => `runtime restarted for ${time}, state ${state}`);
  expect(restarts).toEqual([
    ...within('kept', '100ms', '400ms', '5s', '24s', '30s', '4m0s'),
    ...within('lost', '100ms', '1s', '30s', '4m0s'),
  ]);
});

/** States of the node, from its first Ready on, in the run with the last perturbation of this kind before the pod is deleted. */
async function nodeAfter(kind: string): Promise<string[]> {
  const found = candidates.findLast(
    ({ perturbation }) => perturbation.kind === kind && perturbation.at < 30_000,
  );
  expect(found, `there is a perturbation ${kind}`).toBeDefined();
  if (found === undefined) return [];
  const { result } = await simulateChecked({
    scenario: perturbed(scenario, [found.perturbation]),
    backend: createRecordedNode,
  });
  const states = result.nodes.map(({ ready }) => ready);
  return states.slice(states.indexOf('True'));
}

test.each([
  ['delay 24s Status', 'delay 35s Status'],
  ['runtime restarted for 24s, state kept', 'runtime restarted for 4m0s, state kept'],
  ['lists take 85s once', 'lists take 100s once'],
])('the node stays Ready with %s, and not with %s', async (below, beyond) => {
  expect(await nodeAfter(below)).not.toContain('False');
  expect(await nodeAfter(beyond)).toContain('False');
});
