import { expect, test } from 'vitest';
import { ContainerStatus } from '../../../cri/gen/runtime/v1/api.js';
import { containerInfo } from './info.js';

const status = ContainerStatus.fromPartial({ id: 'c1', metadata: { name: 'app' } });
const given = (runtimeSpec: object) => ({
  info: JSON.stringify({ sandboxID: 'p1', pid: 7, config: { metadata: { name: 'app' } }, runtimeSpec }),
});
const specOf = (runtimeSpec: object) =>
  JSON.parse(containerInfo(given(runtimeSpec), status, true, '1.3.0').info ?? '').runtimeSpec;

test('the spec of a container that plugins see is the one that they have left', () => {
  const spec = specOf({
    process: { args: ['sleep'], env: ['A=1'], user: { uid: 0, gid: 0 }, oomScoreAdj: 3 },
    root: { path: 'rootfs', readonly: true },
    hostname: 'web',
    mounts: [{ destination: '/data' }],
    annotations: { note: 'plugin', 'io.kubernetes.cri-o.MountPoint': '/root' },
    linux: { resources: { cpu: { shares: 5 } }, cgroupsPath: '/crio/crio-c1' },
  });
  expect(spec).toMatchObject({
    process: { args: ['sleep'], env: ['A=1'], oomScoreAdj: 3, capabilities: { bounding: expect.any(Array) } },
    root: { path: '/root', readonly: true },
    hostname: 'web',
    mounts: [{ destination: '/data' }],
    annotations: { note: 'plugin' },
    linux: { resources: { cpu: { shares: 5 } }, cgroupsPath: '/crio/crio-c1' },
  });
  expect(spec.process.capabilities.bounding).toContain('CAP_SETPCAP');
  expect(spec.process.capabilities.bounding).not.toContain('CAP_MKNOD');
});

test('without plugins, it has the annotations of CRI-O', () => {
  expect(specOf({ process: { args: ['sleep'] }, root: {} }).annotations).toMatchObject({
    'io.kubernetes.cri-o.ContainerID': 'c1',
  });
});
