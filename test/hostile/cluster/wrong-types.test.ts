import { afterEach, expect, it } from 'vitest';
import { clusterRig, PODS, podOf } from '../../support/cluster/cluster-rig.js';

// An API server whose objects have other types than Kubernetes gives them. An error that nobody handles would end this process.

const { setup, close } = clusterRig();
afterEach(close);

const pod = (name: string) => {
  const made = podOf(name, {
    serviceAccountName: 'builder',
    tolerations: [{ key: 'a', operator: 'Exists' }],
    initContainers: [
      { name: 'init', image: 'busybox:1', command: ['true'], resources: { limits: { cpu: '1' } } },
    ],
    containers: [
      {
        name: 'app',
        image: 'busybox:1',
        command: ['sleep', '100000'],
        env: [
          { name: 'A', value: 'a' },
          { name: 'D', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        ],
        ports: [{ containerPort: 80 }],
        readinessProbe: { httpGet: { path: '/', port: 80 }, periodSeconds: 1 },
        lifecycle: { preStop: { exec: { command: ['true'] } } },
        volumeMounts: [{ name: 'e', mountPath: '/e' }],
        securityContext: { capabilities: { add: ['X'] } },
      },
    ],
    volumes: [{ name: 'e', emptyDir: { sizeLimit: '1Mi' } }],
  });
  return {
    ...made,
    metadata: {
      ...made.metadata,
      labels: { a: 'b' },
      annotations: { a: 'b' },
      finalizers: ['x/y'],
      ownerReferences: [{ kind: 'Job', name: 'j', uid: 'u' }],
    },
  };
};

type Key = string | number;

/** Paths of all values of an object. */
function pathsOf(value: unknown, above: readonly Key[] = []): (readonly Key[])[] {
  if (typeof value !== 'object' || value === null) return [above];
  return [
    ...(above.length > 0 ? [above] : []),
    ...Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, [...above, key])),
  ];
}

function replaceAt(object: object, path: readonly Key[], value: unknown): void {
  let at = object as Record<Key, unknown>;
  for (const key of path.slice(0, -1)) at = at[key] as Record<Key, unknown>;
  at[path.at(-1) as Key] = value;
}

// Names and namespaces are the key under which the rig's server has an object.
const paths = pathsOf(pod('x')).filter(
  (path) => path[0] !== 'metadata' || !['name', 'namespace', undefined].includes(path[1] as string),
);

it.each([
  ['null', null],
  ['a number', 7],
  ['a text', 'x'],
  ['a list', []],
  ['an object', {}],
  ['a list of null', [null]],
])('nodes go on when any field of a pod is %s', async (_, value) => {
  const { clock, api, put } = await setup();
  for (const [index, path] of paths.entries()) {
    const made = pod(`p${index}`);
    replaceAt(made, path, value);
    api.put(PODS, made);
  }
  await clock.advance(20_000);
  put('last');
  await clock.advance(60_000);
  expect(api.all(PODS).find(({ metadata }) => metadata.name === 'last')?.status.phase).toBe('Running');
});
