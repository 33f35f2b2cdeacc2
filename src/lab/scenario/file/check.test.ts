import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTemporaryDirectory } from '../../../../test/support/temporary.js';
import { InputError } from '../../../base/input/yaml.js';
import { loadInputs } from '../load-inputs.js';
import { scenarioKubelet } from '../simulation/simulated-node.js';
import { parseScenario } from './load.js';
import { readPods } from './pods.js';

const directory = useTemporaryDirectory();

const WEB = `
version: 1
until: 1m
pods:
  - manifest: { apiVersion: v1, kind: Pod, metadata: { name: web }, spec: { containers: [{ name: app, image: x }] } }
`;

/** What is refused about a scenario with a pod `web`, whose container is `app`. */
async function problems(more: string): Promise<readonly string[]> {
  try {
    await parseScenario(WEB + more, 's.yaml');
    return [];
  } catch (error) {
    if (error instanceof InputError) return error.problems;
    throw error;
  }
}

test.each([
  [
    '    behaviors: { ap: run }',
    's.yaml:6:18: pods[0].behaviors.ap: the pod has no container "ap"; did you mean "app"?',
  ],
  [
    '    behaviors: { app: "exti=1" }',
    's.yaml:6:18: pods[0].behaviors.app: behavior: "exti=1": unknown part "exti"; did you mean "exit"?',
  ],
  [
    'expect: { calls: [{ rpc: Foo, count: 1 }] }',
    's.yaml:6:21: expect.calls[0].rpc: unknown RPC; expected a name such as StartContainer; given "Foo"',
  ],
  [
    'timeline: [{ at: 5s, do: { removePod: wbe } }]',
    's.yaml:6:28: timeline[0].do.removePod: unknown pod "wbe"; did you mean "web"?',
  ],
  [
    'timeline: [{ at: 5s, do: { exitContainer: { pod: web, container: sidecar } } }]',
    's.yaml:6:55: timeline[0].do.exitContainer.container: the pod has no container "sidecar"; it has: app',
  ],
  [
    'timeline: [{ at: 5s, do: { removeFault: hang } }]',
    's.yaml:6:28: timeline[0].do.removeFault: no rule is called "hang"; there are none',
  ],
  [
    'expect: { rows: [{ pod: wbe }] }',
    's.yaml:6:20: expect.rows[0].pod: unknown pod "wbe"; did you mean "web"?',
  ],
  [
    'variants: [{ expect: { running: [{ pod: web, container: ap, most: 1 }] } }]',
    's.yaml:6:46: variants[0].expect.running[0].container: the pod has no container "ap"; did you mean "app"?',
  ],
  [
    'timeline: [{ at: 1h, do: { removePod: web } }]',
    's.yaml:6:14: timeline[0].at: 1h0m0s is after the end of the run; "until" is 1m0s',
  ],
  [
    'expect: { rules: [{ name: restarts-grow, from: 9h }] }',
    's.yaml:6:42: expect.rules[0].from: 9h0m0s is after the end of the run; "until" is 1m0s',
  ],
  [
    'variants: [{ expect: { metrics: [{ name: x, is: 1, at: 61s }] } }]',
    's.yaml:6:52: variants[0].expect.metrics[0].at: 1m1s is after the end of the run; "until" is 1m0s',
  ],
  [
    'expect: { rows: [{ pod: web, within: [2m, 3m] }] }',
    's.yaml:6:30: expect.rows[0].within: 2m0s is after the end of the run; "until" is 1m0s',
  ],
  [
    'kubelet: { version: "2.0" }',
    's.yaml:6:12: kubelet.version: expected 1.28, 1.29, 1.30, 1.31, 1.32, 1.33, 1.34, 1.35, 1.36 or 1.37; given "2.0"',
  ],
  [
    'kubelet: { featureGates: { CRIListStreaming: true } }\ntimeline: [{ at: 1s, do: { kubelet: { version: "1.30" } } }]',
    's.yaml:7:39: timeline[0].do.kubelet.version: CRIListStreaming: kubelet 1.30 does not have this gate; it was added in 1.36',
  ],
  [
    'kubelet: { featureGates: { EventdPLEG: true } }',
    's.yaml:6:28: kubelet.featureGates.EventdPLEG: EventdPLEG: unknown feature gate; did you mean "EventedPLEG"?',
  ],
  [
    'variants: [{ kubelet: { config: { syncFrequnecy: 10s } } }]',
    's.yaml:6:35: variants[0].kubelet.config.syncFrequnecy: unknown key; did you mean "syncFrequency"?',
  ],
  [
    'kubelet: { config: { featureGates: { EventdPLEG: true } } }',
    's.yaml:6:22: kubelet.config.featureGates: EventdPLEG: unknown feature gate; did you mean "EventedPLEG"?',
  ],
  [
    'kubelet: { version: "1.34", config: { crashLoopBackOff: { maxContainerRestartPeriod: 60s } } }',
    's.yaml:6:39: kubelet.config.crashLoopBackOff: FeatureGate KubeletCrashLoopBackOffMax not enabled, CrashLoopBackOff.MaxContainerRestartPeriod must not be set; enable the gate or use kubelet version 1.35 or later',
  ],
])('refuses %s with the line', async (more, problem) => {
  expect(await problems(more)).toEqual([problem]);
});

test('mistakes are in the order of their lines', async () => {
  const found = await problems(
    'expect: { rows: [{ pod: wbe }] }\ntimeline:\n  - { at: 2s, do: { removePod: b } }\n  - { at: 1s, do: { removePod: a } }\nkubelet: { featureGates: { EventdPLEG: true } }',
  );
  expect(found.map((each) => each.slice(0, 8))).toEqual(['s.yaml:6', 's.yaml:8', 's.yaml:9', 's.yaml:1']);
});

test('the end of the run itself is a time of it', async () => {
  expect(await problems('timeline: [{ at: 1m, do: { removePod: web } }]')).toEqual([]);
});

test('a name that every JavaScript object has is no feature gate', async () => {
  const [problem] = await problems('kubelet: { featureGates: { toString: true } }');
  expect(problem).toContain(
    'kubelet.featureGates.toString: toString: unknown feature gate; gates with an effect here',
  );
});

test('a kubelet program may have its own gates', async () => {
  const text = `${WEB}kubelet: { featureGates: { ExecEnvs: true }, config: { featureGates: { EventedPLEG: true } } }`;
  const scenario = await parseScenario(text, 's.yaml', { ownKubelet: true });
  expect(scenarioKubelet(scenario).gates).toEqual({ ExecEnvs: true, EventedPLEG: true });
});

const NESTED = `
version: 1
until: 1m
pods:
  - manifest:
      apiVersion: v1
      kind: Pod
      metadata: { name: web }
      spec:
        initContainers: [{ name: init, image: i, newInt: 3 }]
        containers: [{ name: app, image: i, securityContext: { cgroupOptions: { mountMode: Writable } } }]
        newList: [a]
kubelet: { config: { newField: { a: 1 } } }
`;

test('a kubelet program may have its own fields of pods and of its configuration, at any depth', async () => {
  const scenario = await parseScenario(NESTED, 's.yaml', { ownKubelet: true });
  const [pod] = scenario.pods.flatMap((entry) => readPods(scenario, entry));
  expect(pod?.spec).toMatchObject({
    initContainers: [{ name: 'init', newInt: 3 }],
    containers: [{ name: 'app', securityContext: { cgroupOptions: { mountMode: 'Writable' } } }],
    newList: ['a'],
  });
  expect(scenario.kubelet.config).toEqual({ newField: { a: 1 } });
  expect(() => scenarioKubelet(scenario)).not.toThrow();
});

test('the simulated kubelet refuses unknown fields of pods', async () => {
  await expect(parseScenario(NESTED, 's.yaml')).rejects.toThrow('pods[0].manifest.spec.newList: unknown key');
});

test('a gate of a program is not refused in a variant or after an upgrade, and a known one is checked', async () => {
  const text = `${WEB}kubelet: { featureGates: { ExecEnvs: true, CRIListStreaming: true } }
variants: [{ kubelet: { version: "1.36", featureGates: { UserEnvs: true } } }]
timeline: [{ at: 1s, do: { kubelet: { version: "1.30" } } }]`;
  await expect(parseScenario(text, 's.yaml', { ownKubelet: true })).rejects.toThrow(
    /^s.yaml:8:39: timeline\[0\].do.kubelet.version: CRIListStreaming: kubelet 1.30 does not have this gate; [^;]*$/,
  );
});

test('a mistake in a manifest is reported with its line in the scenario', async () => {
  const pod = '  - manifest: { apiVersion: v1, kind: Pod, metadata: { name: db }, spec: { containrs: [] } }';
  expect(await problems(pod)).toContain(
    's.yaml:6:76: pods[1].manifest.spec.containrs: unknown key; did you mean "containers"?',
  );
});

const annotated = (key: string, value: string) =>
  `{ apiVersion: v1, kind: Pod, metadata: { name: db, annotations: { ${key}: "${value}" } }, spec: { containers: [{ name: app, image: x }] } }`;

test.each([
  ['behavior.mockri.dev/app', 'exti=1', 'behavior: "exti=1": unknown part "exti"; did you mean "exit"?'],
  ['behavior.mockri.dev/ap', 'run', 'the pod has no container "ap"; did you mean "app"?'],
  [
    'fault.mockri.dev/StartContianer',
    '1*error',
    'unknown RPC "StartContianer"; did you mean "StartContainer"?',
  ],
  ['fault.mockri.dev/StartContainer', 'banana', expect.stringContaining('unknown action "banana"')],
])('refuses the annotation %s: %s with the line', async (key, value, message) => {
  const refused = async (work: Promise<unknown>) =>
    work.then(
      () => [],
      (error: InputError) => error.details,
    );
  const place = { line: 6, column: 81, message };
  const inline = `  - manifest: ${annotated(key, value)}`;
  expect(await refused(parseScenario(WEB + inline, 's.yaml'))).toEqual([
    { ...place, source: 's.yaml', field: `pods[1].manifest.metadata.annotations.${key}` },
  ]);
  const step = `timeline: [{ at: 5s, do: { addPod: { manifest: ${annotated(key, value)} } } }]`;
  expect(await refused(parseScenario(WEB + step, 's.yaml'))).toMatchObject([{ line: 6, message }]);

  const file = join(directory, 'db.yaml');
  await writeFile(file, `# a pod\n${annotated(key, value)}`);
  expect(await refused(parseScenario(`${WEB}  - file: ${file}`, 's.yaml'))).toEqual([
    { source: file, line: 2, column: 67, message, field: `metadata.annotations.${key}` },
  ]);
  expect(await refused(loadInputs([file]))).toEqual([
    { source: file, line: 2, column: 67, message, field: `metadata.annotations.${key}` },
  ]);
});

test('refuses an annotation of a template with its line', async () => {
  const file = join(directory, 'cron.yaml');
  const template =
    '{ metadata: { annotations: { behavior.mockri.dev/ap: run } }, spec: { restartPolicy: Never, containers: [{ name: app, image: x }] } }';
  await writeFile(
    file,
    `{ apiVersion: batch/v1, kind: CronJob, metadata: { name: c }, spec: { schedule: "* * * * *", jobTemplate: { spec: { template:\n${template} } } } }`,
  );
  await expect(loadInputs([file])).rejects.toThrow(
    `${file}:2:30: spec.jobTemplate.spec.template.metadata.annotations.behavior.mockri.dev/ap: the pod has no container "ap"`,
  );
});

test('a pod can be removed from the time when it is added', async () => {
  const added = (at: string) => `
timeline:
  - { at: 5s, do: { removePod: late } }
  - { at: ${at}, do: { addPod: { manifest: { apiVersion: v1, kind: Pod, metadata: { name: late }, spec: { containers: [{ name: app, image: x }] } } } } }
`;
  expect(await problems(added('4s'))).toEqual([]);
  expect(await problems(added('6s'))).toEqual([
    's.yaml:8:21: timeline[0].do.removePod: unknown pod "late"; there is only web',
  ]);
});

test('a rule in shorthand is read as `fault add` reads it, with its line in errors', async () => {
  const { faults } = await parseScenario(
    `${WEB}faults:\n  - PullImage=1*off->2*error(UNAVAILABLE:oops)->delay(1s)\n  - then: { hang: {} }\n`,
    's.yaml',
  );
  expect(faults.map(({ written }) => written)).toEqual([
    {
      match: { method: 'PullImage' },
      when: { after: 1, times: 2 },
      then: { error: { code: 'UNAVAILABLE', message: 'oops' } },
    },
    { match: { method: 'PullImage' }, when: { after: 3 }, then: { delay: '1s' } },
    { then: { hang: {} } },
  ]);
  expect(await problems('faults:\n  - StartContainer=banana')).toEqual([
    expect.stringMatching(
      /^s\.yaml:7:5: faults\[0\]: "StartContainer=banana": unknown action "banana"; allowed: off, /,
    ),
  ]);
  expect(await problems('faults:\n  - PullImage=delay(1s)\n  - StartContaner=1*error')).toEqual([
    expect.stringMatching(/^s\.yaml:8:5: faults\[1\]: .*did you mean "StartContainer"/),
  ]);
  expect(await problems('faults: [7]')).toEqual([
    's.yaml:6:10: faults[0]: expected a mapping with name, match, on, when, then, or a text; given 7',
  ]);
});

test('a rule can be removed by its name while it is in force', async () => {
  const steps = `
faults: [{ match: { method: PullImage }, then: { hang: {} } }]
timeline:
  - { at: 5s, do: { removeFault: hang-PullImage-1 } }
  - { at: 6s, do: { addFault: { name: a, then: { delay: 1s } } } }
  - { at: 7s, do: { removeFault: a } }
  - { at: 8s, do: { addFault: 'StartContainer=1*error->1*delay(3s)' } }
`;
  expect(await problems(steps)).toEqual([]);
  const written = await parseScenario(`version: 1\nuntil: 9s\n${steps}`, 'x.yaml');
  expect(written.timeline.at(-1)?.do.addFault?.map(({ spec }) => Object.keys(spec.then))).toEqual([
    ['error'],
    ['delay'],
  ]);
});
