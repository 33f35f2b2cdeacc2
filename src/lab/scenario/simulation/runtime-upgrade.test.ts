import { expect, test } from 'vitest';
import { parseScenario } from '../file/load.js';
import { runScenario } from '../run-scenario.js';

const SCENARIO = `
version: 1
title: An upgrade from containerd 2.3 to 2.4
runtime: containerd-2.3
kubelet: { version: "1.37", featureGates: { CRIListStreaming: true } }
pods:
  - manifest:
      apiVersion: v1
      kind: Pod
      metadata: { name: web }
      spec: { containers: [{ name: app, image: "nginx:1" }, { name: once, image: "busybox:1" }], restartPolicy: OnFailure }
    behaviors: { app: run, once: "exit=0,after=2s" }
  - manifest:
      apiVersion: v1
      kind: Pod
      metadata: { name: late }
      spec: { containers: [{ name: app, image: "nginx:1" }] }
    behaviors: { app: "exit=1,after=70s" }
timeline:
  - { at: 50s, do: { addFault: { name: no-network, on: time, then: { condition: { type: NetworkReady, status: false } } } } }
  - { at: 1m, do: { runtime: { profile: containerd-2.4, downFor: 2s } } }
  - { at: 80s, do: { removeFault: no-network } }
  - { at: 90s, do: { kubelet: restart } }
  - { at: 100s, do: { removePod: web } }
until: 150s
expect:
  lastRow: { pod: late, ready: 1/1, status: Running, restarts: 1 }
  running: [{ pod: web, container: app, most: 1 }]
  events: [{ pod: web, reason: Created, count: 2 }, { pod: late, reason: Created, count: 2 }]
  gone: [{ pod: web, within: [100s, 140s] }]
`;

test('a runtime that replaces another one takes over its pods, answers as itself, and keeps to the fault rules', async () => {
  const [result] = await runScenario(await parseScenario(SCENARIO, 'upgrade.yaml'));
  expect(result?.problems).toEqual([]);
  const { calls = [], nodes = [] } = result?.run ?? {};
  const lists = calls.filter(({ rpc }) => rpc === 'StreamPodSandboxes');
  expect([lists[0]?.code, lists.at(-1)?.code]).toEqual(['UNIMPLEMENTED', 'OK']);
  expect(calls.filter(({ t, code }) => t >= 60 && t < 62 && code === 'OK')).toEqual([]);
  const states = nodes.filter(({ t }) => t > 10 && t < 90).map(({ t, ready }) => [ready, t < 80]);
  expect(states).toEqual([
    ['False', true],
    ['True', false],
  ]);
});
