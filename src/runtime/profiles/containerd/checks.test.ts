import { afterEach, describe, expect, test } from 'vitest';
import { answerOf, createPodFixture, IMAGE } from '../../../../test/support/profiles/pod-fixture.js';
import { ContainerConfig, PodSandboxConfig } from '../../../cri/gen/runtime/v1/api.js';
import { type Mockri, startMockri } from '../../../testing/index.js';

/** What containerd answered to configs that api.proto would refuse, and to those that runc refuses. */

let mockri: Mockri | undefined;
afterEach(() => mockri?.close());

const TASK =
  'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed';
const OUT_OF_RANGE = `${TASK}: unable to start container process: unable to setup user: uids and gids must be in range 0-2147483647`;
const ON_HOST = { namespaceOptions: { network: 2 } };
const OWN = { linux: { securityContext: { namespaceOptions: { network: 0 } } } };

const sandboxes: readonly (readonly [string, object, string])[] = [
  ['a relative log directory', { logDirectory: 'rel/dir' }, 'OK'],
  ['a port that is none', { portMappings: [{ containerPort: 70_000, hostPort: -1 }] }, 'OK'],
  ['the network of a container', { linux: { securityContext: { namespaceOptions: { network: 1 } } } }, 'OK'],
  ['a hostname with a space', { ...OWN, hostname: 'a b_c' }, 'OK'],
  [
    'a hostname that is too long',
    { ...OWN, hostname: 'a'.repeat(65) },
    `UNKNOWN: failed to start sandbox "<id>": ${TASK}: unable to start container process: error during container init: sethostname: invalid argument`,
  ],
  [
    'a hostname in the network of the host',
    { hostname: 'abc' },
    `UNKNOWN: failed to start sandbox "<id>": ${TASK}: unable to set hostname without a private UTS namespace`,
  ],
  [
    'a sysctl of the node',
    { linux: { sysctls: { 'vm.swappiness': '1' } } },
    `UNKNOWN: failed to start sandbox "<id>": ${TASK}: sysctl "vm.swappiness" is not in a separate kernel namespace`,
  ],
  [
    'a network sysctl in the network of the host',
    { linux: { sysctls: { 'net.ipv4.ip_forward': '1' }, securityContext: ON_HOST } },
    `UNKNOWN: failed to start sandbox "<id>": ${TASK}: sysctl "net.ipv4.ip_forward" not allowed in host network namespace`,
  ],
  [
    'the hostname as a sysctl',
    { ...OWN, linux: { ...OWN.linux, sysctls: { 'kernel.hostname': 'x' } } },
    `UNKNOWN: failed to start sandbox "<id>": ${TASK}: sysctl "kernel.hostname" is not allowed as it conflicts with the OCI "hostname" field`,
  ],
  [
    'a group below zero',
    { linux: { securityContext: { supplementalGroups: [-1n] } } },
    `UNKNOWN: failed to start sandbox "<id>": ${OUT_OF_RANGE}`,
  ],
  [
    'an absent seccomp profile',
    { linux: { securityContext: { seccomp: { profileType: 2, localhostRef: '/absent/profile.json' } } } },
    'UNKNOWN: failed to start sandbox "<id>": failed to create containerd container: cannot load seccomp profile "/absent/profile.json": open /absent/profile.json: no such file or directory',
  ],
  [
    'an unknown seccomp type',
    { linux: { securityContext: { seccomp: { profileType: 9 } } } },
    'UNKNOWN: failed to start sandbox "<id>": failed to generate sandbox container spec options: failed to generate seccomp spec opts: seccomp unknown ProfileType',
  ],
  [
    'an empty label key',
    { labels: { '': 'x' } },
    'UNKNOWN: failed to start sandbox "<id>": failed to create containerd container: failed to write container "<id>": failed to set label ""="x": key required',
  ],
  [
    'a long label',
    { labels: { a: 'x'.repeat(5000) } },
    'INVALID_ARGUMENT: failed to start sandbox "<id>": failed to create containerd container: create container failed validation: containers.Labels: label key and value length (5001 bytes) greater than maximum size (4096 bytes), key: a: invalid argument',
  ],
];

const BANDWIDTH =
  'UNKNOWN: failed to setup network for sandbox "<id>": get cni namespace options: reading pod bandwidth annotations: ';
const SMALL = `${BANDWIDTH}resource is unreasonably small (< 1kbit)`;
const LARGE = `${BANDWIDTH}resource is unreasonably large (> 1Pbit)`;
const MALFORMED = `${BANDWIDTH}quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`;

const bandwidths: readonly (readonly [string, string])[] = [
  ['1', SMALL],
  ['999', SMALL],
  ['0.9k', SMALL],
  ['1001m', SMALL],
  ['-5k', SMALL],
  ['.', SMALL],
  ['1k', 'OK'],
  ['1e3', 'OK'],
  ['10M', 'OK'],
  ['1P', 'OK'],
  ['1Pi', LARGE],
  ['2P', LARGE],
  ['', MALFORMED],
  ['abc', MALFORMED],
  ['1.5Q', MALFORMED],
  ['1M ', MALFORMED],
  ['5ki', `${BANDWIDTH}unable to parse quantity's suffix`],
];

const NO_VOLUME = 'UNKNOWN: failed to mount image volume: ';
const IMAGE_X = '&ImageSpec{Image:x,Annotations:map[string]string{},UserSpecifiedImage:,RuntimeHandler:,}';
const mountOf = (fields: string) =>
  `&Mount{ContainerPath:/img,${fields},SelinuxRelabel:false,Propagation:PROPAGATION_PRIVATE,UidMappings:[]*IDMapping{},GidMappings:[]*IDMapping{},RecursiveReadOnly:false,Image:${IMAGE_X},}`;

const imageMounts: readonly (readonly [string, object, string])[] = [
  [
    'an image and a host path',
    { readonly: true, hostPath: '/tmp', image: { image: 'x' } },
    `${NO_VOLUME}hostpath must be empty while mount image: ${mountOf('HostPath:/tmp,Readonly:true')}`,
  ],
  [
    'an image that can be written',
    { image: { image: 'x' } },
    `${NO_VOLUME}readonly must be true while mount image: ${mountOf('HostPath:,Readonly:false')}`,
  ],
  [
    'no image',
    { readonly: true, image: { annotations: { a: 'b' } } },
    `${NO_VOLUME}image not specified in: &ImageSpec{Image:,Annotations:map[string]string{a: b,},UserSpecifiedImage:,RuntimeHandler:,}`,
  ],
];

const containers: readonly (readonly [string, object, string])[] = [
  [
    'a device without a path',
    { devices: [{ containerPath: '/dev/x', permissions: 'rwm' }] },
    'UNKNOWN: failed to generate container "<id>" spec: failed to generate spec: lstat : no such file or directory',
  ],
  [
    'a device without permissions',
    { devices: [{ hostPath: '/dev/null', containerPath: '/dev/x' }] },
    `UNKNOWN: ${TASK}: device access at 1 field cannot be empty`,
  ],
  ['a log path outside', { logPath: '../x.log' }, 'OK'],
  ['an unknown stop signal', { stopSignal: 99 }, 'OK'],
  ['a relative container path', { mounts: [{ containerPath: 'rel', hostPath: '/tmp' }] }, 'OK'],
  [
    'a relative host path',
    { mounts: [{ containerPath: '/d', hostPath: 'rel' }] },
    `UNKNOWN: ${TASK}: unable to start container process: error during container init: error mounting "/run/containerd/io.containerd.runtime.v2.task/k8s.io/<id>/rel" to rootfs at "/d": stat /run/containerd/io.containerd.runtime.v2.task/k8s.io/<id>/rel: no such file or directory`,
  ],
  [
    'a mount on the root',
    { mounts: [{ containerPath: '/', hostPath: '/tmp' }] },
    `UNKNOWN: ${TASK}: unable to start container process: error closing exec fds: open /proc/self/fd: no such file or directory`,
  ],
  [
    'a mount of nothing',
    { mounts: [{ containerPath: '/d' }] },
    'UNKNOWN: failed to generate container "<id>" spec: failed to generate spec: failed to mkdir "": mkdir : no such file or directory',
  ],
  ['a relative working directory', { workingDir: 'rel' }, `UNKNOWN: ${TASK}: Cwd must be an absolute path`],
  [
    'an environment variable without a name',
    { envs: [{ key: '', value: Buffer.from('x') }] },
    `UNKNOWN: ${TASK}: unable to start container process: error during container init: environment variable name can't be empty: "=x"`,
  ],
  [
    'an environment variable with a NUL',
    { envs: [{ key: 'A', value: Buffer.from('x\0y') }] },
    `UNKNOWN: ${TASK}: unable to start container process: error during container init: environment variable value can't contain null(\\x00): "A=x\\x00y"`,
  ],
  [
    'a group below zero',
    { linux: { securityContext: { supplementalGroups: [-1n] } } },
    `UNKNOWN: ${OUT_OF_RANGE}`,
  ],
  [
    'no target',
    { linux: { securityContext: { namespaceOptions: { pid: 3 } } } },
    `UNKNOWN: failed to generate container "<id>" spec: failed to generate spec opts: invalid target container: container "" does not exist: prefix can't be empty`,
  ],
  [
    'an unknown seccomp type',
    { linux: { securityContext: { seccomp: { profileType: 9 } } } },
    'UNKNOWN: failed to get container spec opts: failed to generate seccomp spec opts: seccomp unknown ProfileType',
  ],
  [
    'a bad AppArmor profile',
    { linux: { securityContext: { apparmorProfile: 'bad' } } },
    'UNKNOWN: failed to get container spec opts: failed to generate apparmor spec opts: invalid profile "bad"',
  ],
];

describe.each(['containerd-2.4', 'containerd-2.3'] as const)('%s', (profile) => {
  const begin = async () => {
    mockri = await startMockri({ profile, latency: 'none', referee: 'off' });
    await mockri.client.pullImage({ image: IMAGE });
    return createPodFixture(mockri.client, 'a');
  };

  test.each(sandboxes)('a sandbox with %s', async (_, changes, answer) => {
    const { cri, config } = await begin();
    const given = PodSandboxConfig.fromPartial({ ...config, ...changes });
    expect(await answerOf(cri.runPodSandbox({ config: given }))).toBe(answer);
  });

  test.each(containers)('a container with %s', async (_, changes, answer) => {
    const { cri, config, pod } = await begin();
    const podSandboxId = await pod();
    const given = ContainerConfig.fromPartial({
      metadata: { name: 'app' },
      image: IMAGE,
      command: ['true'],
      ...changes,
    });
    const run = async () => {
      const { containerId } = await cri.createContainer({
        podSandboxId,
        config: given,
        sandboxConfig: config,
      });
      await cri.startContainer({ containerId });
    };
    expect(await answerOf(run())).toBe(answer);
  });
});

test('an unknown policy for groups', async () => {
  mockri = await startMockri({ profile: 'containerd-2.4', latency: 'none', referee: 'off' });
  const { client } = mockri;
  const { config: sandboxConfig, pod } = createPodFixture(client, 'web');
  await client.pullImage({ image: IMAGE });
  const linux = { securityContext: { supplementalGroupsPolicy: 7 } };
  const config = { metadata: { name: 'app' }, image: IMAGE, linux };
  expect(await answerOf(client.createContainer({ podSandboxId: await pod(), config, sandboxConfig }))).toBe(
    'UNKNOWN: failed to get container spec opts: not implemented in this containerd release: SupplementalGroupsPolicy=7',
  );
});

test.each(bandwidths)('a bandwidth of %j', async (bandwidth, expected) => {
  mockri = await startMockri({ profile: 'containerd-2.4', latency: 'none', referee: 'off' });
  const { config } = createPodFixture(mockri.client, 'web');
  const limited = { ...config, ...OWN, annotations: { 'kubernetes.io/egress-bandwidth': bandwidth } };
  expect(await answerOf(mockri.client.runPodSandbox({ config: PodSandboxConfig.fromPartial(limited) }))).toBe(
    expected,
  );
  const onHost = {
    ...limited,
    metadata: { ...config.metadata, name: 'host' },
    linux: { securityContext: ON_HOST },
  };
  expect(await answerOf(mockri.client.runPodSandbox({ config: PodSandboxConfig.fromPartial(onHost) }))).toBe(
    'OK',
  );
});

test.each(imageMounts)('a mount of %s', async (_, mount, expected) => {
  mockri = await startMockri({ profile: 'containerd-2.4', latency: 'none', referee: 'off' });
  const { client } = mockri;
  const { config: sandboxConfig, pod } = createPodFixture(client, 'web');
  await client.pullImage({ image: IMAGE });
  const config = ContainerConfig.fromPartial({
    metadata: { name: 'app' },
    image: IMAGE,
    mounts: [{ containerPath: '/img', ...mount }],
  });
  expect(await answerOf(client.createContainer({ podSandboxId: await pod(), config, sandboxConfig }))).toBe(
    expected,
  );
});
