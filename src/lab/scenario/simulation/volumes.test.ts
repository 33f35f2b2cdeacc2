import { expect, test } from 'vitest';
import { explain } from '../explain/explain.js';
import { parseScenario } from '../file/load.js';
import { timelineText } from '../output/timeline.js';
import type { SimulatedRow, Simulation } from '../run/run.js';
import { openSimulation } from './open-simulation.js';
import { simulate } from './simulate.js';
import { simulationParts } from './simulation-parts.js';

interface Given {
  readonly objects?: readonly object[];
  readonly timeline?: readonly object[];
  readonly until?: string;
}

async function run(pods: readonly object[], { objects = [], timeline = [], until = '30s' }: Given = {}) {
  const text = JSON.stringify({ version: 1, objects, timeline, until, pods });
  return simulate({ ...simulationParts, scenario: await parseScenario(text, 'scenario.yaml') });
}

const pod = (name: string, spec: object, metadata: object = {}) => ({
  manifest: { apiVersion: 'v1', kind: 'Pod', metadata: { name, ...metadata }, spec },
});

const shell = (name: string, script: string, more: object = {}) => ({
  name,
  image: 'busybox:1.36',
  command: ['sh', '-c', script],
  ...more,
});

const mount = (mountPath: string, more: object = {}) => ({ name: 'v', mountPath, ...more });

/** A pod that runs a script once with one volume. */
const once = (name: string, script: string, volume: object, container: object = {}, spec: object = {}) =>
  pod(name, {
    restartPolicy: 'Never',
    volumes: [{ name: 'v', ...volume }],
    containers: [shell('app', `set -e; ${script}`, { volumeMounts: [mount('/v')], ...container })],
    ...spec,
  });

const statuses = ({ rows }: Simulation, name: string) =>
  rows.filter((row: SimulatedRow) => row.pod === name).map(({ status, restarts }) => `${status} ${restarts}`);

/** What pods print that fail; empty if all of them ended well. */
function failures(result: Simulation): string[] {
  const ended = result.containerEvents.filter(({ what }) => what === 'ended');
  expect(ended.length).toBeGreaterThan(0);
  return [
    ...ended.filter(({ exitCode }) => exitCode !== 0).map(({ pod: of, exitCode }) => `${of} ${exitCode}`),
    ...result.outputs.map(({ text }) => text),
  ];
}

test.each([{}, { medium: 'Memory', sizeLimit: '1Mi' }])(
  'an emptyDir %j is shared by the containers of a pod',
  async (emptyDir) => {
    const volumeMounts = [mount('/work')];
    const result = await run([
      pod('handover', {
        volumes: [{ name: 'v', emptyDir }],
        initContainers: [shell('prepare', 'echo ready > /work/flag', { volumeMounts })],
        containers: [shell('app', 'cat /work/flag && sleep 3600', { volumeMounts })],
      }),
    ]);
    expect(statuses(result, 'handover')).toEqual(['Init:0/1 0', 'PodInitializing 0', 'Running 0']);
  },
);

const filling = (name: string, emptyDir: object, bytes: number, spec: object = {}) =>
  pod(name, {
    volumes: [{ name: 'v', emptyDir }],
    containers: [
      shell('app', `trap "" TERM; head -c ${bytes} /dev/zero > /v/full; sleep 1000`, {
        volumeMounts: [mount('/v')],
      }),
    ],
    ...spec,
  });

test('a pod whose emptyDir holds more than its sizeLimit is evicted, as by the eviction manager', async () => {
  const result = await run(
    [
      filling('full', { sizeLimit: '1Mi' }, 1024 * 1024),
      filling('fits', { sizeLimit: '1Mi' }, 1024 * 1024 - 8192),
      filling('critical', { sizeLimit: '1Mi' }, 2 * 1024 * 1024, { priority: 2_000_001_000 }),
      filling('no-limit', {}, 2 * 1024 * 1024),
    ],
    { until: '100s' },
  );
  expect(statuses(result, 'full').at(-1)).toBe('Error 0');
  for (const name of ['fits', 'critical', 'no-limit'])
    expect(statuses(result, name).at(-1)).toBe('Running 0');
  expect(result.events.filter(({ reason }) => reason === 'Evicted')).toEqual([
    expect.objectContaining({
      pod: 'full',
      type: 'Warning',
      message: 'Usage of EmptyDir volume "v" exceeds the limit "1Mi". ',
    }),
  ]);
  const ended = result.containerEvents.filter(({ what }) => what === 'ended');
  expect(ended).toEqual([expect.objectContaining({ pod: 'full', exitCode: 137 })]);
});

const storing = (name: string, other: object) => {
  const limited = (storage: object) => ({ resources: { limits: storage }, volumeMounts: [mount('/v')] });
  return pod(name, {
    volumes: [{ name: 'v', emptyDir: {} }],
    containers: [
      shell('app', 'head -c 2000000 /dev/zero >/full; sleep 1000', limited({ 'ephemeral-storage': '1Mi' })),
      shell('other', 'head -c 500000 /dev/zero >/v/full; sleep 1000', limited(other)),
    ],
  });
};

test('a pod that stores more than its limits of ephemeral-storage is evicted, with the texts of the eviction manager', async () => {
  const result = await run([storing('all', {}), storing('one', { 'ephemeral-storage': '10Mi' })], {
    until: '60s',
  });
  const evictions = result.events.filter(({ reason }) => reason === 'Evicted');
  expect(evictions.map(({ pod: of, message }) => [of, message])).toEqual([
    ['all', 'Pod ephemeral local storage usage exceeds the total limit of containers 1Mi. '],
    ['one', 'Container app exceeded its local ephemeral storage limit "1Mi". '],
  ]);
  expect(evictions.every(({ t }) => t < 21)).toBe(true);
});

test('an emptyDir outlives the container that wrote to it, and not its pod', async () => {
  const script = 'if [ ! -e /v/once ]; then touch /v/once; exit 1; fi; sleep 3600';
  const again = pod('second-try', {
    volumes: [{ name: 'v', emptyDir: {} }],
    containers: [shell('app', script, { volumeMounts: [mount('/v')] })],
    terminationGracePeriodSeconds: 0,
  });
  const result = await run([again], {
    until: '60s',
    timeline: [
      { at: '10s', do: { removePod: 'second-try' } },
      { at: '30s', do: { addPod: again } },
    ],
  });
  const ends = statuses(result, 'second-try').filter((text) => /^(Error|Running) \d$/.test(text));
  expect(ends.slice(0, 3)).toEqual(['Running 0', 'Error 0', 'Running 1']);
  expect(ends.slice(-3)).toEqual(['Running 0', 'Error 0', 'Running 1']);
});

const settings = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings' },
  data: { 'run.sh': '#!/bin/sh\n[ "$MODE$P_mode" = fastfast ]\n', mode: 'fast' },
};
const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'keys' },
  data: { user: 'YWRt\naW4=' },
  stringData: { password: 'geheim' },
};

test('a ConfigMap gives files with their mode, variables, and variables for all its keys', async () => {
  const result = await run(
    [
      once(
        'scripted',
        '[ "$(ls /v)" = "mode\nrun.sh" ]; /v/run.sh; ! touch /v/x 2>/dev/null',
        { configMap: { name: 'settings', defaultMode: 0o755 } },
        {
          env: [{ name: 'MODE', valueFrom: { configMapKeyRef: { name: 'settings', key: 'mode' } } }],
          envFrom: [{ prefix: 'P_', configMapRef: { name: 'settings' } }],
        },
      ),
    ],
    { objects: [settings] },
  );
  expect(failures(result)).toEqual([]);
});

test('a Secret gives the items that are chosen, to a user of the group fsGroup', async () => {
  const items = [
    { key: 'user', path: 'a/name' },
    { key: 'password', path: 'pw', mode: 0o400 },
  ];
  const script =
    '[ "$(cat /v/a/name)" = admin ]; [ "$(cat /v/pw)" = geheim ]; [ "$(stat -Lc %a:%g /v/pw)" = 440:7 ]';
  const user = { securityContext: { runAsUser: 1000, fsGroup: 7 } };
  const volume = { secret: { secretName: 'keys', items } };
  expect(failures(await run([once('good', script, volume, {}, user)], { objects: [secret] }))).toEqual([]);
  const other = { securityContext: { runAsUser: 1000 } };
  expect(failures(await run([once('bad', script, volume, {}, other)], { objects: [secret] }))).toEqual([
    'bad 1',
    "cat: can't open '/v/pw': Permission denied",
  ]);
});

test('a projected volume has fields of the pod next to the data of several objects', async () => {
  const sources = [
    { configMap: { name: 'settings', items: [{ key: 'mode', path: 'mode' }] } },
    { secret: { name: 'keys' } },
    { secret: { name: 'missing', optional: true } },
    { downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
    { serviceAccountToken: { path: 'token' } },
  ];
  const script = `[ "$(cd /v; echo *)" = "labels mode password token user" ]; [ "$(cat /v/labels)" = 'app="web"' ]; [ "$NAME" = all ]`;
  const all = once(
    'all',
    script,
    { projected: { sources } },
    { env: [{ name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] },
  );
  Object.assign(all.manifest.metadata, { labels: { app: 'web' } });
  expect(failures(await run([all], { objects: [settings, secret] }))).toEqual([]);
});

test('what no object has is a placeholder, unless it is optional; a key that an object lacks is an error', async () => {
  const key = (name: string, of: string, optional = false) => ({
    name: of.toUpperCase(),
    valueFrom: { configMapKeyRef: { name, key: of, optional } },
  });
  const script = '[ "$A" = placeholder ]; [ -z "$B" ]; [ "$(cat /v)" = placeholder ]';
  const good = once(
    'good',
    script,
    { secret: { secretName: 'nowhere' } },
    {
      env: [key('nowhere', 'a'), key('elsewhere', 'b', true)],
      volumeMounts: [mount('/v', { subPath: 'tls.crt' })],
    },
  );
  expect(failures(await run([good]))).toEqual([]);
  const bad = once('bad', 'true', { emptyDir: {} }, { env: [key('settings', 'c')] });
  const result = await run([bad], { objects: [settings] });
  expect(statuses(result, 'bad').at(-1)).toBe('CreateContainerConfigError 0');
});

test.each([
  ['a hostPath', { hostPath: { path: '/data/shared' } }, 'a'],
  ['a claim', { persistentVolumeClaim: { claimName: 'data' } }, 'a lost+found'],
])('%s is shared by pods of the node, and outlives them', async (_, volume, files) => {
  const reader = once('reader', `[ "$(cat /v/a)" = written ]; [ "$(echo $(ls /v))" = "${files}" ]`, volume);
  const result = await run([once('writer', 'echo written > /v/a', volume)], {
    timeline: [
      { at: '10s', do: { removePod: 'writer' } },
      { at: '12s', do: { addPod: reader } },
    ],
  });
  expect(failures(result)).toEqual([]);
});

test('a hostPath is what its type says', async () => {
  const typed = (name: string, type: string, script: string) =>
    once(name, script, { hostPath: { path: `/run/${name}`, type } });
  const result = await run([
    typed('file', 'FileOrCreate', '[ -f /v ]; echo x > /v'),
    typed('socket', 'Socket', '[ -e /v ]; ! [ -d /v ]'),
    typed('directory', 'DirectoryOrCreate', '[ -d /v ]; [ "$(stat -c %a /v)" = 755 ]'),
    once('hosts', 'grep -q localhost /v', { hostPath: { path: '/etc/hosts', type: 'File' } }),
  ]);
  expect(failures(result)).toEqual([]);
});

test('nothing of this machine is in a hostPath', async () => {
  const result = await run([
    once('curious', 'ls /v > /tmp/names; exit "$(wc -l < /tmp/names)"', { hostPath: { path: '/usr' } }),
  ]);
  expect(failures(result)).toEqual([]);
});

test('an image is a read-only volume, also a part of it', async () => {
  const volume = { image: { reference: 'registry.k8s.io/pause:3.10' } };
  const volumeMounts = [mount('/v'), mount('/part', { subPath: 'etc' })];
  const script = '[ -e /v/pause ]; [ -d /part ]; ! touch /v/x 2>/dev/null';
  const result = await run([once('mounts', script, volume, { volumeMounts })]);
  expect(failures(result)).toEqual([]);
  expect(result.events.map(({ reason, image }) => `${reason} ${image}`)).toContain(
    'Pulled registry.k8s.io/pause:3.10',
  );
  const missing = once('fails', 'true', { image: { reference: 'localhost/no-such-image:1' } });
  expect(statuses(await run([missing]), 'fails')).toContain('ErrImagePull 0');
});

test('subPath and subPathExpr are parts of a volume, which others see as a whole; readOnly holds', async () => {
  const volumeMounts = [
    mount('/part', { subPath: 'a/b' }),
    mount('/mine', { subPathExpr: '$(NAME)/c' }),
    mount('/all', { readOnly: true }),
  ];
  const script =
    'echo 1 > /part/x; echo 2 > /mine/y; [ "$(cat /all/a/b/x /all/me/c/y)" = "1\n2" ]; ! touch /all/z 2>/dev/null';
  const env = [{ name: 'NAME', value: 'me' }];
  expect(failures(await run([once('parts', script, { emptyDir: {} }, { env, volumeMounts })]))).toEqual([]);
});

test('a link in a volume leads a subPath to nothing outside of the volume', async () => {
  const result = await run([
    pod('linked', {
      restartPolicy: 'Never',
      volumes: [{ name: 'v', emptyDir: {} }],
      initContainers: [
        shell('link', 'ln -s /etc /v/a; ln -s ../../../.. /v/b', { volumeMounts: [mount('/v')] }),
      ],
      containers: [
        shell('app', 'ls /a /b', {
          volumeMounts: [mount('/a', { subPath: 'a' }), mount('/b', { subPath: 'b/etc' })],
        }),
      ],
    }),
  ]);
  expect(statuses(result, 'linked').at(-1)).toBe('Completed 0');
  expect(failures(result)).toEqual([]);
});

test('a container that fails has its last lines in the result, and one that is stopped has none', async () => {
  const bad = shell('app', 'for i in 1 2 3 4 5 6 7 8 9 10 11; do echo line $i; done; cat /no/file');
  const stopped = shell('app', 'trap "echo bye; exit 3" TERM; sleep 3600 & wait');
  const result = await run(
    [pod('bad', { restartPolicy: 'Never', containers: [bad] }), pod('stopped', { containers: [stopped] })],
    {
      timeline: [{ at: '10s', do: { removePod: 'stopped' } }],
    },
  );
  expect(result.outputs.map(({ pod: of, stream, text }) => `${of} ${stream} ${text}`)).toEqual([
    ...[3, 4, 5, 6, 7, 8, 9, 10, 11].map((number) => `bad stdout line ${number}`),
    "bad stderr cat: can't open '/no/file': No such file or directory",
  ]);
  expect(explain(result).find((line) => line.includes('last output'))).toContain(
    'bad/app failed; its last output: "line 10", "line 11", "cat: can\'t open \'/no/file\': No such file or directory"',
  );
  const shown = timelineText(result, { withCalls: true }).filter((line) => / {2}print {2}/.test(line));
  expect(shown).toHaveLength(10);
  expect(shown[0]).toMatch(/bad\/app: line 3$/);
  expect(timelineText(result).some((line) => line.includes('bad/app: line'))).toBe(false);
});

test.each([
  ['File', 'echo given > /dev/termination-log; echo printed; exit 1', 'given\n'],
  ['File', 'echo printed; exit 1', ''],
  ['FallbackToLogsOnError', 'echo printed; exit 1', 'printed\n'],
  ['FallbackToLogsOnError', 'echo printed', ''],
])('with the policy %s, the message of %j is %j', async (terminationMessagePolicy, script, message) => {
  const container = shell('app', script, { terminationMessagePolicy });
  const spec = { restartPolicy: 'Never', securityContext: { runAsUser: 1000 }, containers: [container] };
  const text = JSON.stringify({ version: 1, until: '20s', pods: [pod('ends', spec)] });
  const simulation = await openSimulation({
    ...simulationParts,
    scenario: await parseScenario(text, 'scenario.yaml'),
  });
  await simulation.advance(20_000);
  const [found] = simulation.node.host.kubelet?.pods() ?? [];
  const state = found?.status?.containerStatuses?.[0]?.state;
  expect(state?.kind === 'terminated' ? state.message : state?.kind).toBe(message);
  await simulation.close();
});
