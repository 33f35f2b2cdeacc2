import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ContainerSpec } from '../../../src/kubelet/kubernetes/container.js';
import { workloadKinds } from '../../../src/kubelet/kubernetes/workloads.js';
import { parseScenario } from '../../../src/lab/scenario/file/load.js';
import { loadInputs } from '../../../src/lab/scenario/load-inputs.js';
import { guessFromStatus } from '../../../src/lab/scenario/manifests/guess/from-status.js';
import { runScenario } from '../../../src/lab/scenario/run-scenario.js';
import { parseBehavior } from '../../../src/linux/behavior/parse-behavior.js';
import fc from '../../support/properties.js';
import { useTemporaryDirectory } from '../../support/temporary.js';

const directory = useTemporaryDirectory();

let files = 0;
async function load(text: string, replicas?: number, unknownImages?: 'run' | 'fail') {
  const file = join(directory, `${++files}.yaml`);
  await writeFile(file, text);
  const { scenarios, made } = await loadInputs([file], { replicas, unknownImages });
  const [scenario] = scenarios;
  if (scenario === undefined) throw new Error('no scenario');
  const pods = scenario.pods.map(({ manifest }) => manifest as Made);
  return {
    scenario,
    pods,
    made: made ?? '',
    guesses: scenario.assumed?.guesses ?? [],
    notes: scenario.assumed?.notes ?? [],
  };
}

interface Made {
  readonly metadata: {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[];
  };
  readonly spec: { readonly hostname?: string };
}

const GET = 'test/scenarios/manifests/get-pods.yaml';

test("pods from kubectl get: their containers' behaviors are guessed from their statuses", async () => {
  const { scenarios } = await loadInputs([GET]);
  const [scenario] = scenarios;
  if (scenario === undefined) throw new Error('no scenario');
  const { guesses, notes } = scenario.assumed ?? {};
  expect(guesses).toEqual([
    {
      container: 'shop/web-5d4f8c7b9d-x2lmn/app',
      does: 'is killed for lack of memory (137, OOMKilled) after 12s',
      from: `lastState.terminated of its status: OOMKilled, exit code 137; restartCount 6, ${GET}:120`,
      change: 'behavior.mockri.dev/app: "oom,after=12s,healthy=8080"',
    },
    {
      container: 'late/app',
      does: 'gets no image: "failed to authorize: no basic auth credentials"',
      from: `state.waiting of its status: ImagePullBackOff, ${GET}:169`,
      change: 'behavior.mockri.dev/app: "run"',
    },
  ]);
  expect(notes).toEqual([
    'Pod web-5d4f8c7b9d-x2lmn: unknown fields are ignored: spec.containers[0].someFieldOfATimeToCome',
  ]);
  const [result] = await runScenario(scenario);
  const rows = result?.run.rows.map(({ pod, status }) => `${pod} ${status}`);
  expect(rows).toContain('shop/web-5d4f8c7b9d-x2lmn OOMKilled');
  expect(rows).toContain('late ImagePullBackOff');
  expect(result?.run.events.map(({ message }) => message)).toContainEqual(
    'Failed to pull image "registry.example.com/late:1": rpc error: code = PermissionDenied desc = failed to authorize: no basic auth credentials',
  );
});

test('the saved scenario runs like the manifests', async () => {
  const { scenarios, made = '' } = await loadInputs([GET]);
  const saved = await parseScenario(made, 'saved.yaml');
  const [first] = await runScenario(scenarios[0] ?? GET);
  const [again] = await runScenario(saved);
  expect(again?.run.rows).toEqual(first?.run.rows);
});

const template = (more = '') =>
  `{ metadata: { labels: { app: x } }, spec: { containers: [{ name: app, image: "e.org/x:1" }]${more} } }`;
const selector = 'selector: { matchLabels: { app: x } }';

const KINDS: Readonly<Record<string, string>> = {
  Deployment: `{ apiVersion: apps/v1, kind: Deployment, metadata: { name: x }, spec: { replicas: 3, ${selector}, template: ${template()} } }`,
  ReplicaSet: `{ apiVersion: apps/v1, kind: ReplicaSet, metadata: { name: x }, spec: { replicas: 3, ${selector}, template: ${template()} } }`,
  StatefulSet: `{ apiVersion: apps/v1, kind: StatefulSet, metadata: { name: x }, spec: { replicas: 3, serviceName: xs, ${selector}, template: { metadata: {}, spec: { containers: [{ name: app, image: "e.org/x:1", volumeMounts: [{ name: data, mountPath: /data }] }] } }, volumeClaimTemplates: [{ metadata: { name: data }, spec: {} }] } }`,
  DaemonSet: `{ apiVersion: apps/v1, kind: DaemonSet, metadata: { name: x }, spec: { ${selector}, template: ${template()} } }`,
  Job: `{ apiVersion: batch/v1, kind: Job, metadata: { name: x }, spec: { parallelism: 2, template: ${template(', restartPolicy: Never')} } }`,
  CronJob: `{ apiVersion: batch/v1, kind: CronJob, metadata: { name: x }, spec: { schedule: "* * * * *", jobTemplate: { spec: { template: ${template(', restartPolicy: Never')} } } } }`,
  Pod: '{ apiVersion: v1, kind: Pod, metadata: { name: x }, spec: { containers: [{ name: app, image: "e.org/x:1" }] } }',
};

test('every kind becomes pods like those of its controller', async () => {
  expect(Object.keys(KINDS).sort()).toEqual([...workloadKinds].sort());
  const made: Record<string, string> = {};
  for (const [kind, text] of Object.entries(KINDS)) {
    const { pods } = await load(text, 2);
    made[kind] = pods
      .map(({ metadata }) => {
        const [owner] = metadata.ownerReferences ?? [];
        return `${metadata.name} of ${owner?.kind} ${owner?.name}`;
      })
      .join(', ');
  }
  const suffix = '[b-z2-9]{5}';
  expect(made.Pod).toBe('x of undefined undefined');
  expect(made.StatefulSet).toBe('x-0 of StatefulSet x, x-1 of StatefulSet x');
  expect(made.DaemonSet).toMatch(new RegExp(`^x-${suffix} of DaemonSet x$`));
  expect(made.ReplicaSet).toMatch(new RegExp(`^x-${suffix} of ReplicaSet x, x-${suffix} of ReplicaSet x$`));
  expect(made.Job).toMatch(new RegExp(`^x-${suffix} of Job x, x-${suffix} of Job x$`));
  expect(made.CronJob).toMatch(new RegExp(`^x-29400000-${suffix} of Job x-29400000, `));
  expect(made.Deployment).toMatch(
    new RegExp(`^x-([b-z2-9]{10})-${suffix} of ReplicaSet x-\\1, x-\\1-${suffix} of`),
  );
});

test('one pod without --replicas, and a note about the controller', async () => {
  const { pods, notes, guesses } = await load(KINDS.Deployment ?? '');
  expect(pods).toHaveLength(1);
  expect(notes[0]).toMatch(
    /^Deployment x: 1 of its 3 pods: --replicas changes this; deleted or evicted pods are not replaced/,
  );
  expect(guesses[0]?.does).toBe('runs until it is stopped');
});

test('of a list with owners and their pods, the pods run, with behaviors from their statuses', async () => {
  const owner = (kind: string, uid: string) =>
    `ownerReferences: [{ apiVersion: apps/v1, kind: ${kind}, name: x, uid: ${uid}, controller: true }]`;
  const { pods } = await load(`
apiVersion: v1
kind: List
items:
  - ${KINDS.Deployment?.replace('name: x', 'name: x, uid: u1')}
  - ${KINDS.ReplicaSet?.replace('name: x', `name: x, uid: u2, ${owner('Deployment', 'u1')}`)}
  - ${KINDS.Pod?.replace('name: x', `name: x-abc, uid: u3, ${owner('ReplicaSet', 'u2')}`)}
  - ${KINDS.StatefulSet}
`);
  expect(pods.map(({ metadata }) => metadata.name)).toEqual(['x-abc', 'x-0']);
});

test('several documents; objects without pods are listed, not refused', async () => {
  const { pods, notes } = await load(
    `# first\n---\n{ apiVersion: v1, kind: Service, metadata: { name: s } }\n---\n${KINDS.Pod}\n`,
  );
  expect(pods.map(({ metadata }) => metadata.name)).toEqual(['x']);
  expect(notes).toContain('ignored, because they create no pods: Service s');
});

test.each([
  [
    'an unknown field in a handwritten manifest',
    `# one\n---\napiVersion: v1\nkind: Pod\nmetadata: { name: x }\nspec:\n  containers:\n    - name: app\n      imagee: x`,
    /\.yaml:9:7: spec\.containers\[0\]\.imagee: unknown key; did you mean "image"\?/,
  ],
  [
    'the same in a template',
    'apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: x }\nspec:\n  replcas: 2\n  template: { spec: { containers: [{ name: a, image: x }] } }',
    /\.yaml:5:3: spec\.replcas: unknown key; did you mean "replicas"\?/,
  ],
  ['a kind that is misspelled', '{ apiVersion: apps/v1, kind: Deploymnet }', /did you mean "Deployment"\?/],
  [
    'no pods',
    '{ apiVersion: v1, kind: Service, metadata: { name: s } }',
    /no object is a pod or creates pods: Service s/,
  ],
  ['no kind', 'apiVersion: v1', /kind: expected an object of Kubernetes with a kind/],
  ['two pods of one name', `${KINDS.Pod}\n---\n${KINDS.Pod}`, /two pods are named x/],
])('refused with its line: %s', async (_, text, message) => {
  await expect(load(text)).rejects.toThrow(message);
});

test("an annotation sets a container's behavior, and nothing is guessed", async () => {
  const { guesses, scenario } = await load(
    KINDS.Pod?.replace('name: x', 'name: x, annotations: { behavior.mockri.dev/app: "exit=3" }') ?? '',
  );
  expect(guesses).toEqual([]);
  const [result] = await runScenario(scenario);
  expect(result?.run.containerEvents.find(({ what }) => what === 'ended')?.exitCode).toBe(3);
});

test('a command that reads a ConfigMap runs if the files contain it; otherwise its behavior is unknown, and a note says so', async () => {
  const pod = `{ apiVersion: v1, kind: Pod, metadata: { name: x }, spec: { volumes: [{ name: v, configMap: { name: scripts } }],
    containers: [{ name: app, image: e.org/x, command: [sh, -c, "cat /s/mode; sleep 5"], volumeMounts: [{ name: v, mountPath: /s }] }] } }`;
  const map = '{ apiVersion: v1, kind: ConfigMap, metadata: { name: scripts }, data: { mode: fast } }';
  const whole = await load(`${map}\n---\n${pod}`);
  expect(whole.guesses[0]?.does).toBe('runs its command: sh -c cat /s/mode; sleep 5');
  expect(whole.notes).toEqual([]);
  expect(whole.made).toContain('mode: fast');
  const alone = await load(pod);
  expect(alone.guesses[0]?.does).toBe('runs until it is stopped');
  expect(alone.notes).toEqual(['not in the files, so their keys have placeholders: ConfigMap scripts']);
});

const command = (line: string, image = 'e.org/x:1') =>
  `{ apiVersion: v1, kind: Pod, metadata: { name: x }, spec: { initContainers: [{ name: init, image: "e.org/i" }], containers: [{ name: app, image: "${image}"${line} }] } }`;

test.each([
  [', command: [sleep, "5"]', undefined, 'runs its command: sleep 5', 'its command, which is simulated'],
  [
    ', command: [sh, -c, "sleep 5 && exec java -jar a.jar"]',
    'healthy',
    'runs until it is stopped',
    'java is not simulated',
  ],
  [', command: [/app/server]', 'healthy', 'runs until it is stopped', '/app/server is not simulated'],
  [
    ', command: [sh, -c, "f() { date; }; f; while true; do sleep 1; done"]',
    undefined,
    'runs its command',
    'its command',
  ],
  [', args: [--port=80]', 'healthy', 'runs until it is stopped', 'of which nothing is known'],
])('behavior guessed from the command %s', async (line, behavior, does, from) => {
  const { guesses, scenario } = await load(command(line));
  const [init, app] = guesses;
  expect(init?.does).toBe('ends with exit code 0 after 1s, as an init container must');
  expect(app?.does).toContain(does);
  expect(app?.from).toContain(from);
  expect(scenario.pods[0]?.behaviors.app).toBe(behavior);
});

test.each([
  ['nginx:1.27', 'runs its command: nginx'],
  ['busybox', 'exits immediately with 0: without a command its image runs a shell'],
])('behavior guessed from the image %s', async (image, does) => {
  const { guesses } = await load(command('', image));
  expect(guesses[1]?.does).toContain(does);
});

const spec = (more: Partial<ContainerSpec> = {}): ContainerSpec =>
  ({ name: 'app', image: 'x', ports: [], ...more }) as unknown as ContainerSpec;
const second = (seconds: number) => BigInt(seconds) * 1_000_000_000n;
const probe = {
  httpGet: { path: '/healthz', port: 80, scheme: 'HTTP', httpHeaders: [] },
  initialDelaySeconds: 0,
  timeoutSeconds: 1,
  periodSeconds: 10,
  successThreshold: 1,
  failureThreshold: 3,
} as unknown as NonNullable<ContainerSpec['livenessProbe']>;

const guess = (
  status: Partial<Parameters<typeof guessFromStatus>[0]['status']>,
  more: Partial<ContainerSpec> = {},
  seenAt?: bigint,
) =>
  guessFromStatus({
    spec: spec(more),
    role: 'regular',
    status: { name: 'app', restartCount: 0, ready: false, started: true, ...status } as never,
    pod: { name: 'web', namespace: 'default' },
    gracePeriod: 30,
    seenAt,
  });
const terminated = (exitCode: number, reason: string, from = 0, to = 3, message = '') =>
  ({
    kind: 'terminated',
    exitCode,
    reason,
    message,
    startedAt: second(from),
    finishedAt: second(to),
    containerID: '',
  }) as const;
const running = (at: number) => ({ kind: 'running', startedAt: second(at) }) as const;

test('a failed liveness probe differs from an exit in exit code and time', () => {
  const killed = guess({ state: terminated(137, 'Error', 0, 120) }, { livenessProbe: probe });
  expect(killed?.behavior).toBe('run,healthy=80,ready-until=65s,ignore=TERM');
  const stopped = guess({ state: terminated(143, 'Error', 0, 30) }, { livenessProbe: probe });
  expect(stopped?.behavior).toBe('run,healthy=80,ready-until=5s');
  const tooSoon = guess({ state: terminated(137, 'Error', 0, 10) }, { livenessProbe: probe });
  expect(tooSoon?.behavior).toBe('exit=137,after=10s,healthy=80');
  const withoutProbe = guess({ state: terminated(137, 'Error', 0, 120) });
  expect(withoutProbe?.behavior).toBe('exit=137,after=2m0s');
});

test('a running container ends again, unless it has outlived the previous one', () => {
  const again = { state: running(10), lastState: terminated(1, 'Error'), restartCount: 2 };
  expect(guess(again, {}, second(11))?.behavior).toBe('exit=1,after=3s');
  expect(guess(again, {}, second(20))?.behavior).toBe('exit=1,after=3s;exit=1,after=3s;run');
});

test('a start that fails, and a creation that fails, have their texts', () => {
  const message = 'failed to create containerd task: exec: "no-such": not found, in PATH';
  expect(guess({ state: terminated(128, 'StartError', 0, 0, message) })?.behavior).toBe(
    'start-fails=failed to create containerd task: exec: "no-such": not found in PATH',
  );
  const waiting = {
    kind: 'waiting',
    reason: 'CreateContainerConfigError',
    message: 'secret "s" not found',
  } as const;
  expect(guess({ state: waiting })?.fault?.then).toEqual({
    error: { code: 'UNKNOWN', message: 'secret "s" not found' },
  });
});

test('a container that was not started yet gives no hint', () => {
  expect(guess({ state: { kind: 'waiting', reason: 'ContainerCreating', message: '' } })).toBeUndefined();
});

test('every status leads to a valid behavior', () => {
  const text = fc.string({ maxLength: 40 });
  const time = fc.bigInt({ min: 0n, max: second(100_000) });
  const state = fc.oneof(
    fc.record({ kind: fc.constant('running'), startedAt: time }),
    fc.record({ kind: fc.constant('waiting'), reason: text, message: text }),
    fc.record({
      kind: fc.constant('terminated'),
      exitCode: fc.integer({ min: 0, max: 255 }),
      reason: fc.oneof(text, fc.constantFrom('OOMKilled', 'StartError', 'ContainerCannotRun', 'Error')),
      message: text,
      startedAt: time,
      finishedAt: time,
      containerID: fc.constant(''),
    }),
  );
  fc.assert(
    fc.property(state, fc.option(state), fc.nat(20), fc.boolean(), (now, last, restartCount, ready) => {
      const behavior = guess({
        state: now,
        lastState: last ?? undefined,
        restartCount,
        ready,
      } as never)?.behavior;
      if (behavior !== undefined) parseBehavior(behavior, 'guess');
    }),
  );
});

test('pods of manifests may run on a kubelet program that has its own feature gates', async () => {
  // A command passes all its options.
  const options = { ownKubelet: true, kubelet: './kubelet', seed: '2' };
  const { scenarios } = await loadInputs([GET], options);
  expect(scenarios).toMatchObject([{ ownKubelet: true, kubelet: { featureGates: {} }, seed: 1 }]);
});

test('unknown fields of manifests go to a kubelet program, also in a Deployment', async () => {
  const container = '{ name: app, image: i, securityContext: { cgroupOptions: { mountMode: Writable } } }';
  const file = join(directory, 'own-fields.yaml');
  await writeFile(
    file,
    `{ apiVersion: apps/v1, kind: Deployment, metadata: { name: web }, spec: {
selector: { matchLabels: { app: web } }, template: { metadata: { labels: { app: web } }, spec: { containers: [${container}] } } } }`,
  );
  const [scenario] = (await loadInputs([file], { ownKubelet: true })).scenarios;
  expect(scenario?.pods[0]?.manifest).toMatchObject({
    spec: { containers: [{ securityContext: { cgroupOptions: { mountMode: 'Writable' } } }] },
  });
  expect(scenario?.assumed?.notes).toContain(
    'Deployment web: unknown fields go to the kubelet as they are: spec.template.spec.containers[0].securityContext.cgroupOptions',
  );
  await expect(loadInputs([file])).rejects.toThrow('securityContext.cgroupOptions: unknown key');
});

test('unknown fields of pods in a scenario file go to a kubelet program, with a note', async () => {
  const file = join(directory, 'own-fields.scenario.yaml');
  const pod =
    '{ apiVersion: v1, kind: Pod, metadata: { name: web }, spec: { ulimits: [a], containers: [{ name: app, image: i }] } }';
  const later = pod.replace('web', 'late').replace('ulimits', 'quotas');
  await writeFile(
    file,
    `{ version: 1, title: t, until: 10s, pods: [{ manifest: ${pod} }], timeline: [{ at: 1s, do: { addPod: { manifest: ${later} } } }] }`,
  );
  const [scenario] = (await loadInputs([file], { ownKubelet: true })).scenarios;
  expect(scenario?.assumed?.notes).toEqual([
    'Pod web: unknown fields go to the kubelet as they are: spec.ulimits',
    'Pod late: unknown fields go to the kubelet as they are: spec.quotas',
  ]);
  await expect(loadInputs([file])).rejects.toThrow('spec.ulimits: unknown key');
});

test('an object without a name is named by its kind', async () => {
  await expect(load('{ apiVersion: e.org/v1, kind: Foo }')).rejects.toThrow(
    'no object is a pod or creates pods: Foo; expected Pod, ',
  );
});

test('a pod that is being deleted, as kubectl prints it, is deleted in the run', async () => {
  const metadata = {
    name: 'web',
    deletionTimestamp: '2026-01-01T00:00:00Z',
    deletionGracePeriodSeconds: 30,
  };
  const spec = { containers: [{ name: 'app', image: 'nginx:1' }] };
  const { pods, notes } = await load(JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec }));
  expect(pods.map((pod) => pod.metadata)).toEqual([{ name: 'web' }]);
  expect(notes.some((note) => note.includes('it was being deleted'))).toBe(true);
});

test('a manifest is parsed as kubectl does: a duplicate key, a list that ends at its key', async () => {
  const { pods, notes } = await load(`
apiVersion: v1
kind: Pod
metadata:
  name: first
  name: web
spec:
  containers:
  - name: app
    image: nginx
    args: ["-c", "daemon
    off;"
    ]
`);
  expect(pods.map(({ metadata }) => metadata.name)).toEqual(['web']);
  expect(notes).toEqual([
    expect.stringMatching(/yaml:6: the key "name" is given twice; give it once; kubectl uses the last one/),
  ]);
});

test('a word that kubectl reads as a boolean is not text', async () => {
  const text =
    'apiVersion: v1\nkind: Pod\nmetadata: {name: web, labels: {on: yes}}\nspec: {containers: []}\n';
  await expect(load(text)).rejects.toThrow(
    'metadata.labels.on: expected a text; given true; write it in quotes',
  );
});

const strange = (spec: string, container = '') =>
  `{ apiVersion: v1, kind: Pod, metadata: { name: x }, spec: { ${spec}containers: [{ name: app, image: "e.org/x:1"${container} }] } }`;

test.each([
  [
    'an image that is never pulled was loaded onto the node',
    strange('', ', imagePullPolicy: Never'),
    'x/app: its image e.org/x:1 is already on the node (imagePullPolicy: Never)',
  ],
  [
    'an image that must not run as root has another user',
    strange('securityContext: { runAsNonRoot: true }, '),
    'x/app: its image runs as a user that is not root (runAsNonRoot)',
  ],
  [
    'a runtime class has a handler',
    strange('runtimeClassName: gvisor, '),
    'x: RuntimeClass gvisor has the handler that the node has',
  ],
])('the node can run the pod: %s', async (_, text, line) => {
  const { guesses, scenario } = await load(text);
  expect(guesses.map(({ container, does }) => `${container} ${does}`)).toContain(line);
  const [result] = await runScenario(scenario);
  expect(result?.run.rows.at(-1)).toMatchObject({ ready: '1/1', status: 'Running' });
});

test('without a guess about unknown images a pod fails as without them', async () => {
  const { scenario, guesses } = await load(
    strange('securityContext: { runAsNonRoot: true }, '),
    undefined,
    'fail',
  );
  expect(guesses).toEqual([]);
  const [result] = await runScenario(scenario);
  expect(result?.run.rows.at(-1)).toMatchObject({ status: 'CreateContainerConfigError' });
});

test('an API removed from Kubernetes is named, with its replacement', async () => {
  const { notes } = await load(`
apiVersion: batch/v1beta1
kind: CronJob
metadata: {name: report}
spec:
  schedule: "0 1 * * *"
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: nginx}]}}}}
---
apiVersion: policy/v1beta1
kind: PodDisruptionBudget
metadata: {name: report}
`);
  expect(notes).toContain(
    'batch/v1beta1 CronJob was removed in Kubernetes 1.25, so kubectl refuses it; use batch/v1',
  );
  expect(notes).toContain(
    'policy/v1beta1 PodDisruptionBudget was removed in Kubernetes 1.25, so kubectl refuses it; use policy/v1',
  );
});

test('an option sets how long pods of manifests run; a scenario sets it itself', async () => {
  const file = join(directory, 'until.yaml');
  await writeFile(
    file,
    'apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: a, image: nginx}]}\n',
  );
  const { scenarios } = await loadInputs([file], { until: 90_000 });
  expect(scenarios[0]?.until).toBe(90_000);
  await writeFile(file, 'version: 1\npods: []\nuntil: 1s\n');
  await expect(loadInputs([file], { until: 90_000 })).rejects.toThrow('--until: no manifests are given');
});

const windows = (name: string, spec: string) =>
  `{apiVersion: v1, kind: Pod, metadata: {name: ${name}}, spec: {${spec}, containers: [{name: app, image: x,
    volumeMounts: [{name: v, mountPath: 'C:\\csi'}]}], volumes: [{name: v, emptyDir: {}}]}}`;

test('pods for Windows are left out, with a note', async () => {
  const files = [
    windows('by-os', 'os: {name: windows}'),
    windows('by-label', 'nodeSelector: {kubernetes.io/os: windows}'),
  ];
  const linux =
    '{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: app, image: x}]}}';
  const { pods, notes } = await load([...files, linux].join('\n---\n'));
  expect(pods.map(({ metadata }) => metadata.name)).toEqual(['web']);
  expect(notes).toContain('ignored, because they need Windows nodes: Pod by-os, Pod by-label');
  await expect(load(files.join('\n---\n'))).rejects.toThrow(
    'all pods need Windows nodes, which are not simulated: Pod by-os, Pod by-label',
  );
});

test('pods run at least for the initial delay of their probes', async () => {
  const probe = 'readinessProbe: {tcpSocket: {port: 80}, initialDelaySeconds: 600}';
  const { scenario } = await load(
    `{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: app, image: x, ${probe}}]}}`,
  );
  const [result] = await runScenario(scenario);
  expect(result?.run.rows.at(-1)).toMatchObject({ ready: '1/1' });
});

test.each([
  [
    'a manifest without its kind',
    'metadata: { name: web }\nspec: { containers: [] }\n',
    /without "kind"; add apiVersion/,
  ],
  [
    'a table of kubectl',
    'NAME  READY  STATUS   RESTARTS  AGE\nweb   1/1    Running  0         3m\n',
    /mockri reproduce POD --saw/,
  ],
])('%s has its own error text', async (_, text, message) => {
  await expect(load(text)).rejects.toThrow(message);
});
