import { afterEach, describe, expect, test } from 'vitest';
import { answerOf, createTrial, IMAGE } from '../../../test/support/profiles/trial.js';
import { ContainerConfig, PodSandboxConfig } from '../../cri/gen/runtime/v1/api.js';
import { type Mockri, startMockri } from '../../testing/index.js';

/** What containerd 2.1.9 and 1.7.24 answered to configs that api.proto would refuse, and to those that runc refuses. */

let mockri: Mockri | undefined;
afterEach(() => mockri?.close());

const TASK =
  'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed';
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
    `UNKNOWN: <start>${TASK}: unable to start container process: error during container init: sethostname: invalid argument<end>`,
  ],
  [
    'a hostname in the network of the host',
    { hostname: 'abc' },
    `UNKNOWN: <start>${TASK}: unable to set hostname without a private UTS namespace<end>`,
  ],
  [
    'a sysctl of the node',
    { linux: { sysctls: { 'vm.swappiness': '1' } } },
    `UNKNOWN: <start>${TASK}: sysctl "vm.swappiness" is not in a separate kernel namespace<end>`,
  ],
  [
    'a network sysctl in the network of the host',
    { linux: { sysctls: { 'net.ipv4.ip_forward': '1' }, securityContext: ON_HOST } },
    `UNKNOWN: <start>${TASK}: sysctl "net.ipv4.ip_forward" not allowed in host network namespace<end>`,
  ],
  [
    'an empty label key',
    { labels: { '': 'x' } },
    'UNKNOWN: <start>failed to create containerd container: failed to write container "<id>": failed to set label ""="x": key required<end>',
  ],
  [
    'a long label',
    { labels: { a: 'x'.repeat(5000) } },
    'INVALID_ARGUMENT: <start>failed to create containerd container: create container failed validation: containers.Labels: label key and value length (5001 bytes) greater than maximum size (4096 bytes), key: a: invalid argument',
  ],
];

const containers: readonly (readonly [string, object, string])[] = [
  ['a log path outside', { logPath: '../x.log' }, 'OK'],
  ['an unknown stop signal', { stopSignal: 99 }, 'OK'],
  ['a relative container path', { mounts: [{ containerPath: 'rel', hostPath: '/tmp' }] }, 'OK'],
  [
    'a relative host path',
    { mounts: [{ containerPath: '/d', hostPath: 'rel' }] },
    `UNKNOWN: ${TASK}: unable to start container process: error during container init: error mounting "/run/containerd/io.containerd.runtime.v2.task/k8s.io/<id>/rel" to rootfs at "/d": stat /run/containerd/io.containerd.runtime.v2.task/k8s.io/<id>/rel: no such file or directory<end>`,
  ],
  [
    'a mount on the root',
    { mounts: [{ containerPath: '/', hostPath: '/tmp' }] },
    `UNKNOWN: ${TASK}: unable to start container process: error closing exec fds: open /proc/self/fd: no such file or directory<end>`,
  ],
  [
    'a mount of nothing',
    { mounts: [{ containerPath: '/d' }] },
    'UNKNOWN: failed to generate container "<id>" spec: failed to generate spec: failed to mkdir "": mkdir : no such file or directory',
  ],
  [
    'a relative working directory',
    { workingDir: 'rel' },
    `UNKNOWN: ${TASK}: Cwd must be an absolute path<end>`,
  ],
  [
    'an environment variable without a name',
    { envs: [{ key: '', value: Buffer.from('x') }] },
    `UNKNOWN: ${TASK}: unable to start container process: error during container init: environment variable name can't be empty: "=x"<end>`,
  ],
  [
    'no target',
    { linux: { securityContext: { namespaceOptions: { pid: 3 } } } },
    `UNKNOWN: failed to generate container "<id>" spec: <opts>invalid target container: container "" does not exist: prefix can't be empty`,
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

describe.each([
  {
    profile: 'containerd-2.1',
    start: 'failed to start sandbox "<id>": ',
    opts: 'failed to generate spec opts: ',
    end: '',
  },
  { profile: 'containerd-1.7', start: '', opts: '', end: ': unknown' },
] as const)('$profile', ({ profile, start, opts, end }) => {
  const expected = (text: string) =>
    text.replace('<start>', start).replace('<opts>', opts).replace('<end>', end);
  const begin = async () => {
    mockri = await startMockri({ profile, latency: 'none', referee: 'off' });
    await mockri.client.pullImage({ image: IMAGE });
    return createTrial(mockri.client, 'a');
  };

  test.each(sandboxes)('a sandbox with %s', async (_, changes, answer) => {
    const { cri, config } = await begin();
    const given = PodSandboxConfig.fromPartial({ ...config, ...changes });
    expect(await answerOf(cri.runPodSandbox({ config: given }))).toBe(expected(answer));
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
    expect(await answerOf(run())).toBe(expected(answer));
  });
});
