import { expect, test } from 'vitest';
import { startNode } from '../../../test/support/cluster/node-rig.js';
import { parseManifest } from '../../kubelet/pods/manifest.js';

const pod = (name: string, spec: string, labels = '{}') =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}, uid: u-${name}, labels: ${labels}}\nspec: ${spec}`;
const IMAGE = 'image: ghcr.io/example/shop:1.0';

const READY = {
  'nothing said': `{containers: [{name: app, ${IMAGE}}]}`,
  'arguments and no command': `{containers: [{name: app, ${IMAGE}, args: [--port=80]}]}`,
  'a program that only the image has': `{containers: [{name: app, ${IMAGE}, command: [/app/server]}]}`,
  'probes over HTTP, TLS and gRPC, with a named port': `{containers: [
    {name: app, ${IMAGE}, ports: [{name: web, containerPort: 8443}],
      startupProbe: {httpGet: {port: 8080}, periodSeconds: 1},
      readinessProbe: {httpGet: {port: web, scheme: HTTPS}}, livenessProbe: {grpc: {port: 9090}}}]}`,
  'probes and hooks that run what only the image has': `{containers: [
    {name: app, ${IMAGE}, command: [redis-server], startupProbe: {exec: {command: [cat, /tmp/ready]}},
      readinessProbe: {exec: {command: [sh, -c, "redis-cli ping | grep -q PONG"]}},
      lifecycle: {postStart: {exec: {command: [sh, -c, "until redis-cli ping; do sleep 1; done"]}}}}]}`,
  "the node's network, asked on its loopback and by the pod's address": `{hostNetwork: true, containers: [
    {name: app, ${IMAGE}, readinessProbe: {httpGet: {host: 127.0.0.1, port: 17472}}},
    {name: more, ${IMAGE}, ports: [{containerPort: 17473}], readinessProbe: {tcpSocket: {port: 17473}}}]}`,
  'init containers, and a sidecar': `{initContainers: [
    {name: copy, ${IMAGE}, command: [cp, -f, /shop, /opt/bin/shop]},
    {name: wait, image: busybox, command: [sh, -c, "until nc -z db 5432; do sleep 1; done"]},
    {name: proxy, ${IMAGE}, restartPolicy: Always}], containers: [{name: app, ${IMAGE}}]}`,
};

const phases = async (manifests: readonly string[]) => {
  const rig = await startNode(
    (now) => manifests.flatMap((text) => parseManifest(text, 'pod.yaml', { nodeName: 'mock-1', now }).pods),
    { unknownImages: 'run' },
  );
  await rig.clock.advance(20_000);
  const all = rig.node.pods().map(({ status }) => {
    const isReady = status?.conditions.some(
      ({ type, status: value }) => type === 'Ready' && value === 'True',
    );
    return isReady ? 'Ready' : status?.phase;
  });
  return { ...rig, all };
};

test.each(Object.entries(READY))('a pod of an unknown image is Ready: %s', async (_, spec) => {
  const { all, close } = await phases([pod('web', spec)]);
  expect(all).toEqual(['Ready']);
  await close();
});

test('what has to end does: a container of a Job, and one that is not restarted', async () => {
  const { all, close } = await phases([
    pod('job', `{restartPolicy: OnFailure, containers: [{name: app, ${IMAGE}}]}`),
    pod('once', `{restartPolicy: Never, containers: [{name: app, ${IMAGE}, command: [pi, "2000"]}]}`),
  ]);
  expect(all).toEqual(['Succeeded', 'Succeeded']);
  await close();
});

test('an image that is known lacks what it lacks', async () => {
  const { node, close } = await phases([
    pod('web', '{containers: [{name: app, image: "busybox:1", command: [java]}]}'),
  ]);
  expect(node.pods()[0]?.status?.containerStatuses[0]?.lastState?.kind).toBe('terminated');
  await close();
});
