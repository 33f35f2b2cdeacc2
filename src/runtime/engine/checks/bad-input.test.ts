import { beforeEach, describe, expect, it } from 'vitest';
import { type Cri, callDirectly } from '../../../../test/property/cri.js';
import { createFakeBackend, type FakeBackend } from '../../../../test/property/fake-backend.js';
import { createVirtualClock } from '../../../base/clock/virtual-clock.js';
import type { Protocol, Signal } from '../../../cri/gen/runtime/v1/api.js';
import { createRuntime } from '../runtime.js';

const image = { image: 'busybox:1' };
const metadata = { name: 'web', uid: 'u', namespace: 'default', attempt: 0 };
const sandboxConfig = { metadata, logDirectory: '/logs' };

let cri: Cri;
let backend: FakeBackend;
let podSandboxId: string;

beforeEach(async () => {
  const clock = createVirtualClock();
  backend = createFakeBackend(clock);
  cri = callDirectly((await createRuntime({ backend, clock })).service);
  await cri.pullImage({ image });
  ({ podSandboxId } = await cri.runPodSandbox({ config: sandboxConfig }));
});

type SandboxConfig = NonNullable<NonNullable<Parameters<Cri['runPodSandbox']>[0]>['config']>;
type ContainerConfig = NonNullable<NonNullable<Parameters<Cri['createContainer']>[0]>['config']>;

const value = (id: number) => ({ value: BigInt(id) });
const mapping = { hostId: 1000, containerId: 0, length: 65_536 };
const namespaces = (namespaceOptions: object): SandboxConfig => ({
  linux: { securityContext: { namespaceOptions } },
});

describe('RunPodSandbox refuses', () => {
  const cases: [string, SandboxConfig, string][] = [
    ['no metadata', { metadata: undefined }, 'must include metadata'],
    ['no uid', { metadata: { ...metadata, uid: '' } }, 'no uid'],
    ['a relative log directory', { logDirectory: 'logs' }, 'log_directory "logs" is relative'],
    ['a long hostname', { hostname: 'h'.repeat(65) }, 'at most 64'],
    ['an impossible hostname', { hostname: 'a_b' }, 'hostname "a_b"'],
    ['container port 0', { portMappings: [{ containerPort: 0 }] }, 'container_port 0'],
    [
      'a host port that is too high',
      { portMappings: [{ containerPort: 1, hostPort: 65_536 }] },
      'host_port 65536',
    ],
    [
      'an unknown protocol',
      { portMappings: [{ containerPort: 1, protocol: 9 as Protocol }] },
      'unknown protocol',
    ],
    ['a group without a user', { linux: { securityContext: { runAsGroup: value(5) } } }, 'run_as_group 5'],
    ['network mode CONTAINER', namespaces({ network: 1 }), 'network namespace mode CONTAINER'],
    ['user namespace mode CONTAINER', namespaces({ usernsOptions: { mode: 1 } }), 'mode CONTAINER'],
    ['user namespace mode TARGET', namespaces({ usernsOptions: { mode: 3 } }), 'mode TARGET'],
    [
      'two id mappings',
      namespaces({ usernsOptions: { mode: 0, uids: [mapping, mapping], gids: [mapping] } }),
      'exactly one uid mapping, got 2',
    ],
    [
      'an id mapping without root',
      namespaces({ usernsOptions: { mode: 0, uids: [{ ...mapping, containerId: 1 }], gids: [mapping] } }),
      'must map container id 0',
    ],
    [
      'id mappings on the host',
      namespaces({ usernsOptions: { mode: 2, uids: [mapping], gids: [mapping] } }),
      'NODE takes no id mappings',
    ],
  ];
  it.each(cases)('%s', async (_name, config, message) => {
    const before = backend.calls.length;
    const request = { config: { ...sandboxConfig, metadata: { ...metadata, name: 'new' }, ...config } };
    await expect(cri.runPodSandbox(request)).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining(message),
    });
    expect(backend.calls.slice(before)).toEqual([]);
    expect((await cri.listPodSandbox()).items).toHaveLength(1);
  });

  it('no config, an unknown handler, one without user namespaces', async () => {
    await expect(cri.runPodSandbox()).rejects.toThrow('sandbox config is missing');
    const config = { ...sandboxConfig, metadata: { ...metadata, name: 'new' } };
    await expect(cri.runPodSandbox({ config, runtimeHandler: 'gvisor' })).rejects.toThrow(
      'no runtime for "gvisor" is configured: the runtime handlers are "", "plain"',
    );
    const userns = namespaces({ usernsOptions: { mode: 0, uids: [mapping], gids: [mapping] } });
    await cri.runPodSandbox({ config: { ...config, ...userns } });
    const other = { ...config, ...userns, metadata: { ...metadata, name: 'other' } };
    await expect(cri.runPodSandbox({ config: other, runtimeHandler: 'plain' })).rejects.toThrow(
      'does not support user namespaces',
    );
  });

  it('a pod network while NetworkReady is false (INV-51)', async () => {
    const condition = { type: 'NetworkReady', status: false, reason: 'NoPlugin', message: 'no CNI' } as const;
    backend.host.conditionChanged(condition);
    const config = { ...sandboxConfig, metadata: { ...metadata, name: 'new' } };
    await expect(cri.runPodSandbox({ config })).rejects.toMatchObject({ kind: 'unavailable' });
    await cri.runPodSandbox({ config: { ...config, ...namespaces({ network: 2 }) } });
    expect((await cri.status()).status?.conditions).toContainEqual(condition);
  });
});

describe('CreateContainer refuses', () => {
  const security = (securityContext: object): ContainerConfig => ({ linux: { securityContext } });
  const mount = (given: object): ContainerConfig => ({ mounts: [{ containerPath: '/m', ...given }] });
  const cases: [string, ContainerConfig, string][] = [
    ['no metadata', { metadata: undefined }, 'must include metadata'],
    ['no name', { metadata: { name: '', attempt: 0 } }, 'no name'],
    ['no image', { image: undefined }, 'names no image'],
    ['a log path outside its directory', { logPath: '../../etc/passwd' }, 'does not name a file inside'],
    ['a working directory with a NUL', { workingDir: '/a\0b' }, 'has a NUL character'],
    ['a mount with a NUL', mount({ hostPath: '/a\0b' }), 'host_path "/a\\u0000b" has a NUL character'],
    ['a log path that is the directory', { logPath: 'a/..' }, 'does not name a file inside'],
    ['a group without a user', security({ runAsGroup: value(5) }), 'run_as_group 5'],
    [
      'a user by id and by name',
      security({ runAsUser: value(5), runAsUsername: 'www' }),
      'exclude each other',
    ],
    ['a privileged container', security({ privileged: true }), 'sandbox that is not privileged'],
    [
      'a target that is not there',
      security({ namespaceOptions: { pid: 3, targetId: 'x' } }),
      'does not exist',
    ],
    ['a relative mount', mount({ containerPath: 'm', hostPath: '/h' }), 'container_path "m"'],
    ['a mount of nothing', mount({}), 'neither a host_path nor an image'],
    ['a mount of two things', mount({ hostPath: '/h', image }), 'exclude each other'],
    ['a relative host path', mount({ hostPath: 'h' }), 'host_path "h" is relative'],
    ['a writable image', mount({ image }), 'mounted readonly'],
    ['a sub path of nothing', mount({ hostPath: '/h', imageSubPath: 'a' }), 'image_sub_path needs an image'],
    ['a sub path outside', mount({ image, readonly: true, imageSubPath: 'a/../..' }), 'leaves the image'],
    ['an unknown propagation', mount({ hostPath: '/h', propagation: 9 }), 'unknown propagation'],
    ['recursive read-only, writable', mount({ hostPath: '/h', recursiveReadOnly: true }), 'needs readonly'],
    [
      'recursive read-only with propagation',
      mount({ hostPath: '/h', recursiveReadOnly: true, readonly: true, propagation: 1 }),
      'needs propagation PROPAGATION_PRIVATE',
    ],
    ['an unknown stop signal', { stopSignal: 99 as Signal }, 'stop_signal 99'],
  ];
  it.each(cases)('%s', async (_name, config, message) => {
    const before = backend.calls.length;
    const request = { podSandboxId, sandboxConfig, config: { metadata: { name: 'app' }, image, ...config } };
    await expect(cri.createContainer(request)).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining(message),
    });
    expect(backend.calls.slice(before)).toEqual([]);
    // Nothing is left of it, not even the name.
    await cri.createContainer({ ...request, config: { metadata: { name: 'app' }, image } });
  });

  it('absent parts: config, sandbox config, sandbox, image', async () => {
    const config = { metadata: { name: 'app' }, image };
    await expect(cri.createContainer({ podSandboxId, sandboxConfig })).rejects.toThrow('config is missing');
    await expect(cri.createContainer({ podSandboxId, config })).rejects.toThrow('sandbox_config is missing');
    await expect(cri.createContainer({ podSandboxId: 'x', config, sandboxConfig })).rejects.toMatchObject({
      kind: 'not-found',
    });
    const absent = { ...config, image: { image: 'absent' } };
    await expect(cri.createContainer({ podSandboxId, config: absent, sandboxConfig })).rejects.toThrow(
      'image "absent" is not present',
    );
  });
});

describe('what is unusual but allowed', () => {
  const config = { metadata: { name: 'app' }, image };

  it('comes back as it was given (INV-22)', async () => {
    const annotations = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`key-${n}`, `${n}`]));
    const labels = { huge: 'x'.repeat(65_536), constructor: 'a', toString: '', 'ü/ñ': '☃' };
    const { containerId } = await cri.createContainer({
      podSandboxId,
      sandboxConfig,
      config: { ...config, labels, annotations },
    });
    const { status } = await cri.containerStatus({ containerId });
    expect(status?.labels).toEqual(labels);
    expect(status?.annotations).toEqual(annotations);
    const { containers } = await cri.listContainers({ filter: { labelSelector: { constructor: 'a' } } });
    expect(containers.map(({ id }) => id)).toEqual([containerId]);
    expect((await cri.listContainers({ filter: { labelSelector: { valueOf: '' } } })).containers).toEqual([]);
  });

  it('is passed on as bytes: env values that are no UTF-8', async () => {
    const bytes = Buffer.from([0xff, 0xfe, 0]);
    let given: Buffer | undefined;
    const create = backend.createContainer;
    backend.createContainer = (spec, call) => {
      given = spec.config.envs[0]?.value;
      return create(spec, call);
    };
    await cri.createContainer({
      podSandboxId,
      sandboxConfig,
      config: { ...config, envs: [{ key: 'RAW', value: bytes }] },
    });
    expect(given).toEqual(bytes);
  });
});
