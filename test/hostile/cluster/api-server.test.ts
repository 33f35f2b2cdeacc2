import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { clusterRig, PODS, podOf } from '../../support/cluster/cluster-rig.js';
import { useTemporaryDirectories } from '../../support/temporary.js';
import { isThorough } from '../../support/thorough.js';
import { replaceText } from '../texts.js';

// An API server that sends what no API server would: each text of a pod, one after the other, is a way out.

const temporary = useTemporaryDirectories();
const { setup, close } = clusterRig();
afterEach(close);

const NAMESPACE = '/api/v1/namespaces/default';

/** A container with each field that names something. */
const container = (name: string) => ({
  name,
  image: 'busybox:1',
  command: ['sh', '-c', 'echo x > /e/x; ls /e /c /s /p /d; sleep 100000'],
  args: ['x'],
  workingDir: '/e',
  env: [
    { name: 'A', value: 'a' },
    { name: 'B', valueFrom: { configMapKeyRef: { name: 'c', key: 'k' } } },
    { name: 'C', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
    { name: 'D', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  ],
  envFrom: [{ prefix: 'p', configMapRef: { name: 'c' } }, { secretRef: { name: 's' } }],
  terminationMessagePath: '/e/message',
  securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
  volumeMounts: [
    { name: 'e', mountPath: '/e', subPath: 'sub' },
    { name: 'e', mountPath: '/expr', subPathExpr: '$(A)' },
    { name: 'c', mountPath: '/c' },
    { name: 's', mountPath: '/s' },
    { name: 'p', mountPath: '/p' },
    { name: 'd', mountPath: '/d' },
    { name: 'h', mountPath: '/h' },
  ],
});

/** A pod with each kind of volume. */
const rich = (name: string) => {
  const { spec, ...pod } = podOf(name, {
    serviceAccountName: 'builder',
    hostname: 'web',
    subdomain: 'sub',
    imagePullSecrets: [{ name: 's' }],
    hostAliases: [{ ip: '1.2.3.4', hostnames: ['web'] }],
    dnsConfig: { nameservers: ['1.1.1.1'], searches: ['a.b'], options: [{ name: 'ndots', value: '1' }] },
    initContainers: [{ name: 'init', image: 'busybox:1', command: ['true'] }],
    containers: [container('app')],
    volumes: [
      { name: 'e', emptyDir: {} },
      { name: 'c', configMap: { name: 'c', items: [{ key: 'k', path: 'k' }] } },
      { name: 's', secret: { secretName: 's', items: [{ key: 'k', path: 'k' }] } },
      { name: 'd', downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] } },
      { name: 'h', hostPath: { path: '/etc' } },
      {
        name: 'p',
        projected: {
          sources: [
            { configMap: { name: 'c', items: [{ key: 'k', path: 'c' }] } },
            { secret: { name: 's', items: [{ key: 'k', path: 's' }] } },
            { serviceAccountToken: { path: 'token', audience: 'a' } },
            { downwardAPI: { items: [{ path: 'n', fieldRef: { fieldPath: 'metadata.uid' } }] } },
          ],
        },
      },
    ],
  });
  const { metadata } = pod;
  return {
    metadata: { ...metadata, annotations: { a: 'b' }, labels: { app: 'web' } },
    status: pod.status,
    spec,
  };
};

/** The object once for each of its texts, with this one instead. */
function* withEach<T>(make: (index: number) => T, text: string): Generator<T> {
  for (let index = 0; ; index++) {
    const object = make(index);
    if (!replaceText(object as object, index, text)) return;
    yield object;
  }
}

/** Everything in a directory but what is below `own`, with the content of the files. */
function picture(directory: string, own: string): unknown[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (path === own) return [];
    if (entry.isDirectory()) return [path, ...picture(path, own)];
    return [[path, entry.isFile() ? readFileSync(path, 'utf8') : 'no file']];
  });
}

const WAYS: readonly (readonly [string, string])[] = [
  ['../../../escape', '../../../escape'],
  ['an absolute path', '/tmp/mockri-escape/x'],
  ['..', '..'],
  ['a path that goes down first', 'a/../../../../../outside/secret'],
  ['lines', 'a\n6.6.6.6 bank\n'],
  ['a null character', 'a\0/../../../escape'],
];

it.each(isThorough ? WAYS : WAYS.slice(0, 1))(
  'no text of a pod leads outside the directory of the nodes: %s',
  async (_, text) => {
    const home = temporary();
    const root = join(home, 'a/b/c/nodes');
    for (const directory of [root, join(home, 'outside')]) mkdirSync(directory, { recursive: true });
    writeFileSync(join(home, 'outside/secret'), 'secret');
    const before = picture(home, root);
    const { clock, api } = await setup({ root });
    api.put(`${NAMESPACE}/configmaps`, { metadata: { name: 'c' }, data: { k: 'v', [text]: 'v' } });
    const data = { k: 'dg==', [text]: 'dg==' };
    api.put(`${NAMESPACE}/secrets`, { metadata: { name: 's' }, data });
    const whole = {
      volumes: [
        { name: 'v', configMap: { name: 'c' } },
        { name: 'w', secret: { secretName: 's' } },
      ],
    };
    for (const pod of [...withEach((n) => rich(`p${n}`), text), podOf('whole', whole)]) api.put(PODS, pod);
    await clock.advance(30_000);
    expect(picture(home, root)).toEqual(before);
    expect(api.requests.filter((request) => /\/\.{1,2}(\/|$)|[\n\0]/.test(request))).toEqual([]);
    // The attack reaches the kubelet: pods with a text that names no file run.
    const phases = api.all(PODS).map(({ status }) => status.phase);
    expect(phases.filter((phase) => phase === 'Running').length).toBeGreaterThan(5);
  },
);
