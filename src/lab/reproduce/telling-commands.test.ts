import { expect, test } from 'vitest';
import { parseScenario } from '../scenario/file/load.js';
import type { Simulation } from '../scenario/run/run.js';
import { joinSeen } from './join-seen.js';
import { readLines } from './read/read-lines.js';
import { differences, runsAgain } from './telling-commands.js';

const none = {
  rows: [],
  nodes: [],
  events: [],
  log: [],
  pleg: [],
  containerEvents: [],
  left: [],
  kubelets: [],
  calls: [],
  faults: [],
} as unknown as Simulation;
const started = (attempt: number) => ({
  t: attempt,
  pod: 'web',
  container: 'app',
  attempt,
  what: 'started' as const,
});

test('two instances that run, and one', () => {
  const ended = { ...started(0), t: 2, what: 'ended' as const, exitCode: 1 };
  const both = { ...none, containerEvents: [started(0), started(1)] };
  const one = { ...none, containerEvents: [started(0), ended, started(1)] };
  expect(differences(both, one)).toEqual([
    { command: 'crictl ps -a --name app', shows: ['2 Running, ATTEMPT 0 and 1', '1 Running, ATTEMPT 1'] },
    {
      command: 'crictl ps -aq --state Exited --name app | head -1 | xargs crictl inspect | grep exitCode',
      shows: ['nothing', '1'],
    },
  ]);
});

test('an event and a fall of the node that only one of two runs has', () => {
  const event = { t: 9, pod: 'web', field: '', type: 'Warning', reason: 'BackOff', message: '' };
  const no = { reason: '', message: '', problems: [], taint: undefined, evicting: false };
  const fall = { t: 60, ready: 'False' as const, ...no };
  expect(differences({ ...none, events: [event], nodes: [fall] }, none)).toEqual([
    { command: 'kubectl get node -w', shows: ['NotReady, once', 'Ready all the time'] },
    { command: 'kubectl get events --field-selector reason=BackOff', shows: ['once', 'nothing'] },
  ]);
});

test('what ended otherwise, and what was restarted', () => {
  const end = (exitCode: number) => ({ ...started(0), what: 'ended' as const, exitCode });
  const kubelet = (t: number) => ({ t, what: 'started' as const });
  const fault = (action: string) => ({ t: 1, rule: 'x', action, rpc: undefined });
  const left = { ...none, containerEvents: [end(0)], kubelets: [kubelet(0), kubelet(9)] };
  const right = {
    ...none,
    containerEvents: [end(1)],
    kubelets: [kubelet(0)],
    faults: [fault('restart'), fault('clockSkew')],
  };
  expect(differences(left, right).map(({ shows }) => shows)).toEqual([
    ['0', '1'],
    ['2 times', 'once'],
    ['nothing', 'once'],
    ['nothing', 'such lines'],
  ]);
});

test('the containers that are left, and what a pod showed in between', () => {
  const row = (t: number, status: string) => ({ t, pod: 'web', ready: '1/1', status, restarts: 0 });
  const left = (containers: number) => [{ pod: 'web', sandboxes: 1, containers }];
  const direct = { ...none, rows: [row(1, 'Running')], left: left(1) };
  const detour = { ...none, rows: [row(0, 'StartError'), row(1, 'Running')], left: left(2) };
  expect(differences(direct, detour)).toEqual([
    { command: 'crictl ps -a --label io.kubernetes.pod.name=web', shows: ['1 container', '2 containers'] },
    { command: 'kubectl get pod web -w', shows: ['1/1 Running', '1/1 StartError, 1/1 Running'] },
  ]);
});

test('a seed with which a cause no longer shows what was seen says nothing', async () => {
  const manifest = {
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' } },
    spec: { containers: [{ name: 'app', image: 'x' }] },
  };
  const pods = [{ manifest, behaviors: { app: 'run' } }];
  const scenario = await parseScenario(JSON.stringify({ version: 1, pods, until: '10s' }), 'web.yaml');
  const seeds = async (row: string) => {
    const seen = joinSeen([readLines(row, 'rows.txt').seen], new Map([['web', 0]]));
    return (await runsAgain({ scenario, fit: 1 }, seen, 'x', 2)).length;
  };
  expect(await seeds('web 1/1 Running 0 9s')).toBe(2);
  expect(await seeds('web 0/1 Error 3 9s')).toBe(0);
});

test('equal runs have no difference', () => {
  const run = { ...none, containerEvents: [started(0)] };
  expect(differences(run, run)).toEqual([]);
});

test('calls that failed, and those that took long, as the metrics of the kubelet have them since its start', () => {
  const call = (rpc: string, t: number, end: number, code = 'OK') => ({ rpc, t, end, code });
  const stream = { rpc: 'GetContainerEvents', t: 0 };
  const kubelets = [
    { t: 0, what: 'started' as const },
    { t: 30, what: 'started' as const },
  ];
  const early = call('RunPodSandbox', 1, 2, 'UNKNOWN');
  const left = {
    ...none,
    kubelets,
    calls: [stream, early, call('StartContainer', 31, 156, 'DEADLINE_EXCEEDED')],
  };
  const right = { ...none, kubelets, calls: [stream, call('StartContainer', 31, 31.1)] };
  const metrics = 'kubectl get --raw /api/v1/nodes/NODE/proxy/metrics | grep';
  expect(differences(left, right)).toEqual([
    {
      command: `${metrics} 'runtime_operations_errors_total{operation_type="start_container"}'`,
      shows: ['1', 'nothing'],
    },
    {
      command: `${metrics} 'runtime_operations_duration_seconds_sum{operation_type="start_container"}'`,
      shows: ['more than 60', 'less than 5'],
    },
  ]);
});
