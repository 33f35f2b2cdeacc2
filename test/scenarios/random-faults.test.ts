import { expect, test } from 'vitest';
import { InputError } from '../../src/base/input/yaml.js';
import type { FaultInput } from '../../src/runtime/faults/language/rule-schema.js';
import { anyRule } from '../support/faults/random-rules.js';
import fc from '../support/properties.js';
import { run } from '../support/scenario/simulate.js';
import { countOf, ofAll } from '../support/thorough.js';

const pod = (name: string, containers: object[]) => ({
  manifest: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { terminationGracePeriodSeconds: 5, containers },
  },
});

const probe = { exec: { command: ['true'] }, periodSeconds: 5 };

/** Restarts, probes, a deletion, and restarts of kubelet and runtime, so that most rules meet something. */
const scenario = {
  pods: [
    { ...pod('pod-1', [{ name: 'app', image: 'nginx', readinessProbe: probe }]), behaviors: { app: 'run' } },
    { ...pod('pod-2', [{ name: 'app', image: 'nginx' }]), behaviors: { app: 'exit=1,after=2s' } },
  ],
  timeline: [
    { at: '40s', do: { kubelet: 'restart' } },
    { at: '60s', do: { restartRuntime: { downFor: '1s' } } },
    { at: '90s', do: { removePod: 'pod-1' } },
  ],
  until: '2m',
};

const ALL = 300;
const RUNS = countOf(ALL, 8);

/** The outcome of a simulation; undefined if these rules are refused before it. */
async function outcome(faults: readonly FaultInput[]) {
  try {
    return await run({ ...scenario, faults });
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

test(`no fault rule ends a simulation (${ofAll(RUNS, ALL, 'random sets of rules')})`, async () => {
  let simulated = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(anyRule, { minLength: 1, maxLength: 3 }), async (faults) => {
      const result = await outcome(faults);
      if (result === undefined) return;
      simulated++;
      expect(result.steps.map(({ text }) => text)).toContain('delete pod pod-1');
      expect(result.metrics.at(-1)?.t).toBe(120);
    }),
    { numRuns: RUNS },
  );
  expect(simulated).toBeGreaterThan(RUNS / 3);
});

const version = (then: FaultInput['then'], when: FaultInput['when'] = {}): FaultInput => ({
  name: 'first-call',
  match: { method: 'Version' },
  when,
  then,
});

test('a kubelet whose first call fails exits, and is restarted after ten seconds', async () => {
  const { steps, rows } = await run({
    ...scenario,
    faults: [version({ error: { code: 'UNAVAILABLE', message: 'not yet' } }, { times: 2 })],
    timeline: [],
    until: '30s',
  });
  const exits = steps.filter(({ text }) => text.startsWith('the kubelet exits'));
  expect(exits).toEqual([0, 10].map((t) => ({ t, text: expect.stringContaining('not yet') })));
  expect(exits[0]?.text).toContain('the service manager restarts it after 10s');
  expect(rows.find(({ pod: name, status }) => name === 'pod-1' && status === 'Running')?.t).toBeGreaterThan(
    20,
  );
});

test('a first call that hangs or is late delays only the kubelet', async () => {
  const late = await run({
    ...scenario,
    faults: [version({ delay: '5s' }, { times: 1 })],
    timeline: [],
    until: '30s',
  });
  expect(late.rows[0]?.t).toBeGreaterThanOrEqual(5);
  const hanging = await run({
    ...scenario,
    faults: [version({ hang: {} })],
    timeline: [
      { at: '5s', do: { kubelet: 'kill' } },
      { at: '20s', do: { removeFault: 'first-call' } },
      { at: '25s', do: { kubelet: 'start' } },
    ],
    until: '40s',
  });
  expect(hanging.steps.map(({ t }) => t)).toEqual([5, 20, 25]);
  expect(hanging.rows[0]?.t).toBeGreaterThanOrEqual(25);
});
