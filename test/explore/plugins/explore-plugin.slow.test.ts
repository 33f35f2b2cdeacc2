import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createRealClock } from '../../../src/base/clock/real-clock.js';
import { explorePlugin, pluginBaseline } from '../../../src/lab/explore/plugins/explore-plugin.js';
import { loadPluginIncident } from '../../../src/lab/explore/plugins/incident.js';
import { loadPluginPods } from '../../../src/lab/explore/plugins/pods.js';
import { brokenBy } from '../../../src/lab/explore/plugins/rules.js';
import { runPlugin } from '../../../src/lab/explore/plugins/run.js';

const plugin = fileURLToPath(new URL('../../nri/plugins/pinner.ts', import.meta.url));
/** Command line of a plugin, by what it does in Synchronize. */
const pinner = (mode: string) => `node --import tsx ${plugin} ${mode}`;
const common = { clock: createRealClock(), patience: 20_000 };

async function tryWith(command: string) {
  const incident = await loadPluginIncident('scenarios/plugins/restart-race.yaml');
  const subject = { ...common, ...incident, command };
  const baseline = await pluginBaseline(subject);
  return brokenBy(await runPlugin(subject, incident.schedule), baseline);
}

test('the restart race: a plugin that only takes over the existing state has the defect', async () => {
  expect(await tryWith(pinner('trusts'))).toEqual([
    {
      rule: 'keeps-adjusted',
      about: 'web/app',
      message:
        'web/app was created while the plugin was disconnected, and listed to it later: it lacks linux.resources.cpu.cpus ("1" without perturbations)',
    },
  ]);
});

test('the restart race: a plugin that repairs in Synchronize does not have it', async () => {
  expect(await tryWith(pinner('reconciles'))).toEqual([]);
});

test('a search finds the race, and a plugin that does not know the running containers', async () => {
  const { pods } = await loadPluginPods([]);
  const explored = await explorePlugin({
    ...common,
    pods,
    command: pinner('forgets'),
    budget: { schedules: 4 },
    depth: 1,
    seed: '1',
    only: ['update web/app at last', 'create web/app'],
  });
  expect(explored.schedules).toBe(4);
  expect(explored.findings.map(({ rule, about }) => `${rule} ${about}`)).toContain('keeps-adjusted web/app');
  expect(explored.findings.every(({ seen, tries }) => seen === tries)).toBe(true);
});

test('a plugin that does not connect is an error that shows its output', async () => {
  const { pods } = await loadPluginPods([]);
  await expect(
    pluginBaseline({ ...common, pods, command: 'echo no socket for me', patience: 300 }),
  ).rejects.toThrow(/the plugin is not connected within 300ms at the beginning.*\n.*no socket for me/s);
});
