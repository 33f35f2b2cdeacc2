import { describe, expect, test } from 'vitest';
import { minimal } from '../../../test/support/kubelet/manifest-text.js';
import { InputError } from '../../base/input/yaml.js';
import type { Pod } from '../kubernetes/pod.js';
import { parseManifest } from './manifest.js';

const options = { nodeName: 'node', now: 1_767_225_600_000_000_123n };
const read = (text: string) => parseManifest(text, 'pod.yaml', options);

const escaped = (text: string) => text.replace(/[[\]().]/g, '\\$&');

const withSpec = (spec: string) =>
  `apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n${spec.replace(/^/gm, '  ')}\n`;

describe('a manifest', () => {
  test('gets the defaults of the API server and the file source', () => {
    const [pod] = read(minimal()).pods as [Pod];
    expect(pod.metadata).toMatchObject({
      name: 'web-node',
      namespace: 'default',
      uid: expect.stringMatching(/^[0-9a-f]{32}$/),
      annotations: {
        'kubernetes.io/config.hash': pod.metadata.uid,
        'kubernetes.io/config.seen': '2026-01-01T00:00:00.000000123Z',
        'kubernetes.io/config.source': 'file',
      },
    });
    expect(pod.spec).toMatchObject({
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      nodeName: 'node',
      initContainers: [],
    });
    expect(pod.spec.containers[0]).toMatchObject({
      imagePullPolicy: 'IfNotPresent',
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
      command: [],
    });
  });

  test.each([
    ['nginx', 'Always'],
    ['nginx:latest', 'Always'],
    ['localhost:5000/nginx', 'Always'],
    ['localhost:5000/nginx:1', 'IfNotPresent'],
    ['nginx@sha256:0000', 'IfNotPresent'],
    ['nginx:1@sha256:0000', 'IfNotPresent'],
    ['nginx:latest@sha256:0000', 'Always'],
  ])('the image %s is pulled %s', (image, policy) => {
    expect(read(minimal('web', image)).pods[0]?.spec.containers[0]?.imagePullPolicy).toBe(policy);
  });

  test('has a uid derived from its content', () => {
    const uid = (text: string) => read(text).pods[0]?.metadata.uid;
    expect(uid(minimal())).toBe(uid(minimal()));
    expect(uid(minimal())).not.toBe(uid(minimal('web', 'nginx:2')));
  });

  test('has the time it was first seen, without trailing zeros', () => {
    const seen = (now: bigint) =>
      parseManifest(minimal(), 'pod.yaml', { ...options, now }).pods[0]?.metadata.annotations[
        'kubernetes.io/config.seen'
      ];
    expect(seen(1_767_225_600_000_000_000n)).toBe('2026-01-01T00:00:00Z');
    expect(seen(1_767_225_600_120_000_000n)).toBe('2026-01-01T00:00:00.12Z');
  });

  test('can use each host port once, init containers separately, and can have rules for any exit codes', () => {
    const ports =
      'ports: [{containerPort: 80, hostPort: 80}, {containerPort: 80, hostPort: 80, protocol: UDP}]';
    const rules = 'restartPolicyRules: [{action: Restart, exitCodes: {operator: NotIn, values: []}}]';
    const { pods } = read(
      withSpec(`initContainers:
- {name: a, image: "a:1", ${ports}}
- {name: b, image: "a:1", ${ports}}
containers:
- {name: app, image: "a:1", ${ports}, restartPolicy: Never, ${rules}}`),
    );
    expect(pods[0]?.spec.containers[0]?.restartPolicyRules[0]?.exitCodes.values).toEqual([]);
  });

  test('defaults probes, and completes paths', () => {
    const { pods } = read(
      withSpec(`containers:
- name: app
  image: a:1
  livenessProbe: {httpGet: {path: healthz, port: web}, periodSeconds: 0}
  lifecycle: {preStop: {sleep: {seconds: 2}}}`),
    );
    expect(pods[0]?.spec.containers[0]?.livenessProbe).toMatchObject({
      httpGet: { path: '/healthz', port: 'web', scheme: 'HTTP', httpHeaders: [] },
      initialDelaySeconds: 0,
      timeoutSeconds: 1,
      periodSeconds: 10,
      successThreshold: 1,
      failureThreshold: 3,
    });
  });

  test('can be JSON, and a list', () => {
    const list = `{"apiVersion":"v1","kind":"PodList","items":[${minimal('a')},${minimal('b')}]}`;
    expect(read(list).pods.map(({ metadata }) => metadata.name)).toEqual(['a-node', 'b-node']);
  });

  test('takes requests from limits, and numbers as quantities', () => {
    const { pods } = read(
      withSpec('containers:\n- {name: app, image: "a:1", resources: {limits: {cpu: 1, memory: 64Mi}}}'),
    );
    expect(pods[0]?.spec.containers[0]?.resources).toEqual({
      limits: { cpu: '1', memory: '64Mi' },
      requests: { cpu: '1', memory: '64Mi' },
    });
  });

  test('is on this node, whatever node the manifest names', () => {
    const { pods } = read(withSpec('nodeName: other\ncontainers: [{name: app, image: "a:1"}]'));
    expect(pods[0]?.spec.nodeName).toBe('node');
  });

  test('lists the fields without effect in one line', () => {
    const text = withSpec(`nodeSelector: {disk: ssd}
schedulerName: a
volumes: [{name: v, nfs: {server: s, path: /}}]
containers:
- {name: app, image: "a:1", volumeDevices: [], env: [{name: A, valueFrom: {fileKeyRef: {key: k}}}]}`);
    const others =
      'spec.containers[0].volumeDevices, spec.containers[0].env[0].valueFrom.fileKeyRef, spec.volumes[0].nfs';
    expect(read(text).warnings).toEqual([
      `pod.yaml: no effect here: spec.schedulerName, spec.nodeSelector, ${others}`,
    ]);
    // A node that decides which pods it takes reads the selector.
    expect(parseManifest(text, 'pod.yaml', { ...options, isAdmitted: true }).warnings).toEqual([
      `pod.yaml: no effect here: spec.schedulerName, ${others}`,
    ]);
  });

  const inContainer = (fields: string) => `containers: [{name: app, image: "a:1", ${fields}}]`;
  const withVolume = (fields: string) => `${inContainer('')}\nvolumes: [{name: v, ${fields}}]`;
  test.each([
    [
      'serviceAccountName: s\ncontainers: [{name: app, image: "a:1"}]',
      'serviceAccountName',
      'serviceaccounts',
    ],
    [
      'imagePullSecrets: [{name: s}]\ncontainers: [{name: app, image: "a:1"}]',
      'imagePullSecrets[0]',
      'secrets',
    ],
    [
      inContainer('envFrom: [{configMapRef: {name: c}}]'),
      'containers[0].envFrom[0].configMapRef',
      'configmaps',
    ],
    [
      inContainer('env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: k}}}]'),
      'containers[0].env[0].valueFrom.secretKeyRef',
      'secrets',
    ],
    [withVolume('configMap: {name: c}'), 'volumes[0].configMap', 'configmaps'],
    [withVolume('secret: {secretName: s}'), 'volumes[0].secret', 'secrets'],
    [
      withVolume('persistentVolumeClaim: {claimName: c}'),
      'volumes[0].persistentVolumeClaim',
      'persistentvolumeclaims',
    ],
    [withVolume('csi: {driver: d}'), 'volumes[0].csi', 'csidrivers (via CSI volumes)'],
    [
      withVolume('projected: {sources: [{serviceAccountToken: {path: t}}]}'),
      'volumes[0].projected.sources[0].serviceAccountToken',
      'serviceaccounts (via projected volumes)',
    ],
  ])('that refers to the API is refused with the text of the kubelet: %s', (spec, field, resource) => {
    expect(() => read(withSpec(spec))).toThrow(
      new RegExp(
        `^pod\\.yaml:\\d+:\\d+: spec\\.${escaped(field)}: static pods may not reference ${escaped(resource)}$`,
      ),
    );
    expect(parseManifest(withSpec(spec), 'pod.yaml', { ...options, mayReferToApi: true }).pods).toHaveLength(
      1,
    );
  });

  test('can have what pods of the API have: sub-paths, fields of the pod as files, resources as variables', () => {
    const [pod] = read(
      withSpec(`hostnameOverride: other
volumes: [{name: v, downwardAPI: {items: [{path: labels, fieldRef: {fieldPath: metadata.labels}}]}}]
containers:
- name: app
  image: a:1
  volumeMounts: [{name: v, mountPath: /v, subPath: a/b}]
  env: [{name: CPU, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: 1m}}}]`),
    ).pods;
    expect(pod?.spec).toMatchObject({
      hostnameOverride: 'other',
      volumes: [{ downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } }],
      containers: [
        {
          volumeMounts: [{ subPath: 'a/b' }],
          env: [{ valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1m' } } }],
        },
      ],
    });
  });

  const container = 'containers:\n- name: app\n  image: a:1\n';
  test.each([
    [
      `${container}  livenesProbe: {}`,
      'pod.yaml:9:5: spec.containers[0].livenesProbe: unknown key; did you mean "livenessProbe"?',
    ],
    [`${container}restartpolicy: Never`, 'restartpolicy: unknown key; did you mean "restartPolicy"?'],
    [`${container}restartPolicy: Sometimes`, 'given "Sometimes"'],
    [
      `${container}  livenessProbe: {periodSeconds: 1}`,
      'expected exactly one of exec, httpGet, tcpSocket, grpc',
    ],
    [
      `${container}  livenessProbe: {exec: {command: [a]}, successThreshold: 2}`,
      'must be 1 for liveness and startup probes; given 2',
    ],
    [
      `${container}  readinessProbe: {exec: {command: [a]}, terminationGracePeriodSeconds: 2}`,
      'must not be set for readiness probes',
    ],
    [`${container}- name: app\n  image: b:1`, 'pod.yaml:9:5: spec.containers[1].name: another container'],
    [
      `${container}initContainers:\n- {name: setup, image: "a:1", livenessProbe: {exec: {command: [a]}}}`,
      'only allowed in init containers with restartPolicy Always',
    ],
    [`${container}  volumeMounts: [{name: data, mountPath: /data}]`, 'no volume has this name; given "data"'],
    [
      `${container}  restartPolicyRules: [{action: Restart, exitCodes: {operator: In, values: [1]}}]`,
      'must be set when restartPolicyRules are used',
    ],
    [
      `${container}  lifecycle: {preStop: {sleep: {seconds: 9}}}\nterminationGracePeriodSeconds: 8`,
      'spec.containers[0].lifecycle.preStop.sleep.seconds: expected no more than terminationGracePeriodSeconds (8); given 9',
    ],
    [
      `${container}  livenessProbe: {tcpSocket: {port: "80"}}`,
      'spec.containers[0].livenessProbe.tcpSocket.port',
    ],
    [`${container}  ports: [{name: Web, containerPort: 80}]`, 'expected a port name'],
    [
      `${container}  ports: [{name: web, containerPort: 80}, {name: web, containerPort: 81}]`,
      'spec.containers[0].ports[1].name: another port has this name; given "web"',
    ],
    [
      `${container}  ports: [{containerPort: 80}]\n- {name: b, image: "a:1", ports: [{containerPort: 80}]}\nhostNetwork: true`,
      'spec.containers[1].ports[0]: another port of the pod uses this host port; given 80',
    ],
    [`${container}  env: [{name: A=B, value: c}]`, 'expected printable ASCII characters without "="'],
    [
      `${container}  volumeMounts: [{name: a, mountPath: /a}, {name: b, mountPath: /a}]\nvolumes: [{name: a}, {name: b}]`,
      'another mount has this path',
    ],
    [`${container}hostPID: true\nshareProcessNamespace: true`, 'cannot be enabled together with hostPID'],
    [
      `${container}  volumeMounts: [{name: a, mountPath: /a, subPath: ../b}]\nvolumes: [{name: a}]`,
      'subPath: expected a relative path without ".."; given "../b"',
    ],
    [`${container}hostAliases: [{ip: 1.2.3.4, hostnames: ["a\\nb"]}]`, 'hostnames[0]: expected a DNS name'],
    ['containers: []', 'expected at least one container'],
    [`${container}  resources: {limits: {memory: 64MB}}`, 'expected a quantity such as'],
  ])('with %j is rejected', (spec, message) => {
    expect(() => read(withSpec(spec))).toThrow(InputError);
    expect(() => read(withSpec(spec))).toThrow(message);
  });

  test('of another kind is rejected', () => {
    expect(() => read('apiVersion: apps/v1\nkind: Deployment\n')).toThrow(/Pod/);
  });
});
