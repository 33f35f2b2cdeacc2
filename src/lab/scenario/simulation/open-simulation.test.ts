import { expect, test } from 'vitest';
import { isThorough } from '../../../../test/support/thorough.js';
import { createVirtualClock } from '../../../base/clock/virtual-clock.js';
import type { Entry } from '../../../tape/entries.js';
import { createTape } from '../../../tape/tape.js';
import { parseScenario } from '../file/load.js';
import { timelineText } from '../output/timeline.js';
import { openSimulation } from './open-simulation.js';
import { runToEnd, simulate, startRun } from './simulate.js';
import { simulationParts } from './simulation-parts.js';

const pod = (name: string, app: string) => ({
  manifest: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [{ name: 'app', image: 'nginx:1' }] },
  },
  behaviors: { app },
});

const scenarioWith = (more: object = {}) =>
  parseScenario(
    JSON.stringify({ version: 1, pods: [pod('crash', 'exit=1,after=3s')], until: '60s', ...more }),
    'scenario.yaml',
  );

/** Opens a simulation on a tape whose entries are kept. */
async function opened(more?: object) {
  const scenario = await scenarioWith(more);
  const tape = createTape(createVirtualClock());
  const entries: Entry[] = [];
  tape.listen({ entry: (entry) => entries.push(entry) });
  return { scenario, entries, simulation: await openSimulation({ ...simulationParts, scenario, tape }) };
}

test('a simulation that is advanced in steps is the one that runs through', async () => {
  const timeline = [{ at: '20s', do: { addPod: pod('web', 'run') } }];
  const { scenario, simulation } = await opened({ timeline });
  const run = await startRun(simulation, {});
  for (let at = 7000; at < scenario.until; at += 7000) await simulation.advance(at);
  await simulation.advance(scenario.until);
  const result = await run.end();
  await simulation.close();
  expect(timelineText(result)).toEqual(timelineText(await simulate({ ...simulationParts, scenario })));
});

/** The second container fails its probe once the first is done. Its pod is killed then, while a rule wants it to be restarted. */
const killedPod = {
  manifest: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web' },
    spec: {
      restartPolicy: 'Never',
      containers: [
        { name: 'done', image: 'nginx:1', livenessProbe: { exec: { command: ['true'] } } },
        {
          name: 'app',
          image: 'nginx:1',
          livenessProbe: { exec: { command: ['false'] }, periodSeconds: 5, failureThreshold: 1 },
          restartPolicy: 'Never',
          restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'NotIn', values: [1] } }],
        },
      ],
    },
  },
  behaviors: { done: 'exit=1,after=2s', app: 'run' },
};

test.runIf(isThorough)('a scenario ends whose kubelet syncs a pod in a loop that takes no time', async () => {
  const { entries, simulation } = await opened({ pods: [killedPod], until: '12s' });
  await runToEnd(simulation, {});
  await simulation.close();
  const stops = entries.filter((entry) => entry.kind === 'call' && entry.method === 'StopPodSandbox');
  expect(stops.length).toBeGreaterThan(1000);
});

test('nothing happens before the first advance, and nothing is recorded from the close on', async () => {
  const { entries, simulation } = await opened();
  expect(entries).toEqual([]);
  await simulation.advance(10_000);
  const { length } = entries;
  expect(length).toBeGreaterThan(0);
  await simulation.close();
  expect(entries.length).toBe(length);
});

test('a step is done when it is asked for, and stops an advance that waits for it', async () => {
  const { entries, simulation } = await opened();
  const isKilled = () => entries.some((entry) => entry.kind === 'kubelet' && entry.what === 'killed');
  await simulation.advance(5000);
  simulation.clock.setTimer(2000, () => simulation.perform({ kubelet: 'kill' }));
  await simulation.advance(60_000, isKilled);
  expect(simulation.clock.elapsed()).toBe(7000);
  expect(simulation.node.host.kubelet).toBeUndefined();
  await simulation.close();
});

test('a step of the timeline that makes no sense ends the advance with its error', async () => {
  const action = { exitContainer: { pod: 'crash', container: 'app', code: 1 } };
  const { simulation } = await opened({ timeline: [{ at: '10s', do: action }] });
  await expect(runToEnd(simulation, {})).rejects.toThrow('container "app" of pod "crash" does not run');
  expect(simulation.clock.elapsed()).toBe(10_000);
  await simulation.close();
});
