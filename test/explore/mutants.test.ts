import { beforeEach, expect, test, vi } from 'vitest';
import { baselineRules } from '../../src/lab/explore/run/baseline.js';
import { runRuleNames } from '../../src/tape/judge/kubelet/table.js';
import { scenarioOf } from '../support/scenario/simulate.js';
import { ofAll, sampleOf } from '../support/thorough.js';
import { type Mutant, mutants } from './mutants.js';

// What this file imports itself must not be what the run with a mutant uses.
beforeEach(() => {
  vi.resetModules();
});

const pod = (name: string, spec: object, behavior: string) => ({
  manifest: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { terminationGracePeriodSeconds: 5, containers: [{ name: 'app', image: 'nginx:1' }], ...spec },
  },
  behaviors: { app: behavior },
});

/** A server that crashes once and is deleted, a job, a crash loop, and a probe that fails. */
const scenario = {
  pods: [
    pod(
      'job',
      { restartPolicy: 'OnFailure', containers: [container('app'), container('side')] },
      'exit=0,after=5s',
    ),
    pod('web', {}, 'run'),
    pod('crash', {}, 'exit=1,after=1s'),
    pod('sick', { containers: [sick()] }, 'run'),
  ],
  timeline: [
    { at: '20s', do: { exitContainer: { pod: 'web', container: 'app', code: 1 } } },
    { at: '40s', do: { removePod: 'web' } },
  ],
  until: '200s',
  expect: { gone: [{ pod: 'web', within: ['40s', '60s'] }] },
};

function container(name: string) {
  return { name, image: 'nginx:1' };
}

function sick() {
  const livenessProbe = {
    exec: { command: ['false'] },
    periodSeconds: 5,
    failureThreshold: 2,
    initialDelaySeconds: 20,
  };
  return { name: 'app', image: 'nginx:1', livenessProbe };
}

/** The rules that are broken by the scenario alone, or with the first perturbation of this kind. */
async function rulesBroken(kind: string | undefined): Promise<string[]> {
  // The kubelet of this test: the modules are loaded after they were replaced.
  const { createRunner } = await import('../../src/lab/explore/run/runner.js');
  const { candidatesOf } = await import('../../src/lab/explore/catalog/catalog.js');
  const runner = createRunner(await scenarioOf(scenario));
  const without = await runner.run([]);
  if (kind === undefined) return without.findings.map(({ rule }) => rule);
  const found = candidatesOf(without.points).find(({ perturbation }) => perturbation.kind === kind);
  expect(found, `there is a perturbation ${kind}`).toBeDefined();
  const outcome = await runner.run(found === undefined ? [] : [found.perturbation]);
  return outcome.findings.map(({ rule }) => rule);
}

async function replaceModule({ module, replace }: Mutant): Promise<void> {
  const actual = await vi.importActual<Record<string, unknown>>(module);
  vi.doMock(module, () => ({ ...actual, ...replace(actual as never) }));
}

/** Mutants that a short run of the tests tries. */
const FEW = 2;
const kinds = [...new Set(sampleOf(mutants, FEW).map(({ perturbation }) => perturbation))];

test.each(kinds)('the unmodified kubelet breaks no rule with %s', async (kind) => {
  expect(await rulesBroken(kind)).toEqual([]);
});

const some = sampleOf(mutants, FEW);

test.each(some.map((mutant) => [mutant.name, mutant] as const))(
  `a kubelet that %s is found (${ofAll(some.length, mutants.length, 'mutants')})`,
  async (_, mutant) => {
    await replaceModule(mutant);
    const broken = await rulesBroken(mutant.perturbation);
    vi.doUnmock(mutant.module);
    expect(broken).toContain(mutant.rule);
  },
);

test('there are at least twelve, and one for each rule', () => {
  expect(mutants.length).toBeGreaterThanOrEqual(12);
  const rules = new Set(mutants.map(({ rule }) => (rule.startsWith('REF') ? 'conversation' : rule)));
  expect([...rules].sort()).toEqual(
    [...runRuleNames, ...baselineRules, 'no-exception', 'expectation'].sort(),
  );
});
