import { expect, test } from 'vitest';
import type { AnyCall } from '../call-recorder.js';
import { RUN_LABEL } from '../cleanup.js';
import { crictlScript } from './crictl.js';

const POD = 'a'.repeat(64);
const OTHER = 'b'.repeat(64);
const CONTAINER = 'c'.repeat(64);

/** Calls one after the other, 10 ms each; those with `together` begin when the one before does. */
function calls(...given: readonly (Partial<AnyCall> & { readonly together?: true })[]): AnyCall[] {
  let time = 0;
  return given.map(({ together, method = '', request = {}, ...rest }) => {
    if (!together) time += 10;
    const reply = 'reply' in rest ? rest.reply : {};
    return { method, request, reply, startedAt: time, endedAt: time + 9 };
  });
}

const pod = (name: string) => ({
  metadata: { name, uid: 'u', namespace: 'n', attempt: 0 },
  logDirectory: `/logs/${name}`,
  labels: { [RUN_LABEL]: 'x', app: "it's" },
  annotations: {},
  linux: { securityContext: { runAsUser: { value: 0n } } },
});
const container = {
  metadata: { name: 'c', attempt: 1 },
  image: { image: 'busybox:1', annotations: {} },
  command: ['sleep', '9'],
  labels: { [RUN_LABEL]: 'x' },
  envs: [],
  CDIDevices: [{ name: 'a/b=c' }],
};
const containerId = CONTAINER;

test('the calls that the last one depends on become commands, and the pod is removed', () => {
  const script = crictlScript(
    'unix:///x y.sock',
    calls(
      { method: 'RunPodSandbox', request: { config: pod('other') }, reply: { podSandboxId: OTHER } },
      { method: 'RunPodSandbox', request: { config: pod('p') }, reply: { podSandboxId: POD } },
      {
        method: 'CreateContainer',
        request: { podSandboxId: POD, config: container, sandboxConfig: pod('p') },
        reply: { containerId },
      },
      { method: 'StopPodSandbox', request: { podSandboxId: OTHER } },
      { method: 'ContainerStatus', request: { containerId } },
      { method: 'StartContainer', request: { containerId } },
      // What is looked at again shows once, but what is done again counts.
      { method: 'StartContainer', request: { containerId }, reply: undefined },
      { method: 'StopContainer', request: { containerId, timeout: 3n } },
      { method: 'StopContainer', request: { containerId, timeout: 3n }, together: true },
      { method: 'ContainerStatus', request: { containerId: CONTAINER.slice(0, 13) } },
      { method: 'ContainerStatus', request: { containerId: CONTAINER.slice(0, 13) } },
    ),
  );
  const config = `{"metadata":{"name":"p","uid":"u","namespace":"n"},"log_directory":"/logs/p","labels":{"app":"it'\\''s"},"linux":{"security_context":{"run_as_user":{}}}}`;
  expect(script.split('\n')).toEqual([
    "export CONTAINER_RUNTIME_ENDPOINT='unix:///x y.sock'",
    'crictl pull busybox:1',
    'mkdir -p /logs/p',
    `echo '${config}' >pod1.json`,
    'POD1=$(crictl runp pod1.json)',
    `echo '{"metadata":{"name":"c","attempt":1},"image":{"image":"busybox:1"},"command":["sleep","9"],"CDI_devices":[{"name":"a/b=c"}]}' >container1.json`,
    'CONTAINER1=$(crictl create --no-pull $POD1 container1.json pod1.json)',
    'crictl start $CONTAINER1',
    'crictl start $CONTAINER1',
    'crictl stop --timeout 3 $CONTAINER1 &',
    'crictl stop --timeout 3 $CONTAINER1 &',
    'wait',
    `crictl inspect \${CONTAINER1:0:13}`,
    'crictl rmp --force $POD1',
  ]);
});

test('pods that are made at the same time', () => {
  const script = crictlScript(
    'unix:///x',
    calls(
      { method: 'RunPodSandbox', request: { config: pod('p') }, reply: { podSandboxId: POD } },
      { method: 'RunPodSandbox', request: { config: pod('p') }, reply: undefined, together: true },
      {
        method: 'ListPodSandbox',
        request: { filter: { state: { state: 1 }, labelSelector: { app: 'a b' } } },
      },
    ),
  );
  expect(script.split('\n').slice(3)).toEqual([
    'crictl runp pod1.json >POD1.id &',
    'crictl runp pod1.json >POD2.id &',
    'wait',
    'POD1=$(cat POD1.id)',
    'POD2=$(cat POD2.id)',
    "crictl pods --no-trunc --state notready --label 'app=a b'",
    'crictl rmp --force $POD1',
  ]);
});

test.each([
  ['nothing', calls()],
  ['a stream that crictl does not have', calls({ method: 'GetContainerEvents' })],
  ['a config that crictl refuses itself', calls({ method: 'RunPodSandbox', request: { config: {} } })],
])('no commands: %s', (_, given) => {
  expect(crictlScript('unix:///x', given)).toBe('');
});
