import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { unmet } from '../../src/lab/scenario/expect/expectations.js';
import { loadScenario, parseScenario } from '../../src/lab/scenario/file/load.js';
import { runsOf } from '../../src/lab/scenario/file/variants.js';
import { runtimeProfileNames } from '../../src/runtime/profiles/index.js';
import { simulateScenario } from '../support/scenario/simulate.js';
import { ofAll, sampleOf } from '../support/thorough.js';

/** Runs that need what containerd 2.4 lacks. */
const LACKING: Readonly<Record<string, string>> = {
  'e06-status-without-containers.yaml, kubelet 1.36 with EventedPLEG': 'statuses of containers in events',
};

const all = readdirSync('scenarios').filter((file) => file.endsWith('.yaml'));
const files = sampleOf(all.sort(), 2);

test.each(files)(
  `%s happens with containerd 2.4 and its times, too (${ofAll(files.length, all.length, 'scenarios')})`,
  async (file) => {
    for (const { name, scenario } of runsOf(await loadScenario(join('scenarios', file)))) {
      const problems = unmet(
        scenario.expect,
        await simulateScenario(scenario, { profile: 'containerd-2.4' }),
      );
      const lacks = LACKING[`${file}, ${name}`];
      expect(problems.length > 0, `${name}: ${problems.join('\n')}`).toBe(lacks !== undefined);
    }
  },
);

test.each(runtimeProfileNames)('a pod runs, ends and backs off with %s', async (profile) => {
  const scenario = await loadScenario('scenarios/crash-loop-back-off.yaml');
  const { rows } = await simulateScenario({ ...scenario, until: 60_000 }, { profile });
  expect(rows.map(({ status, restarts }) => `${status} ${restarts}`)).toEqual(
    expect.arrayContaining(['Running 0', 'Error 0', 'Running 1', 'CrashLoopBackOff 1', 'Running 2']),
  );
});

test.each(['containerd-2.4', 'containerd-2.3'] as const)(
  'two runs with one seed are identical even where error texts of %s contain ids',
  async (profile) => {
    const scenario = await parseScenario(REFUSED, 'refused.yaml');
    const run = async () => (await simulateScenario(scenario, { profile })).events;
    const events = await run();
    expect(events.some(({ message }) => /[0-9a-f]{64}.*unreasonably small/.test(message))).toBe(true);
    expect(await run()).toEqual(events);
  },
);

const REFUSED = `
version: 1
title: refused
until: 30s
pods:
  - manifest:
      apiVersion: v1
      kind: Pod
      metadata: {name: web, annotations: {kubernetes.io/ingress-bandwidth: '1'}}
      spec: {containers: [{name: app, image: 'busybox:1'}]}
`;
