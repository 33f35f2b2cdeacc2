import { expect, it } from 'vitest';
import {
  ContainerConfig,
  PodSandboxConfig,
  SupplementalGroupsPolicy,
} from '../../../src/cri/gen/runtime/v1/api.js';
import type { ImageContent } from '../../../src/linux/fs/image-content.js';
import { HostPids } from '../../../src/linux/process/pid-namespace.js';
import { mergeResources } from '../../../src/runtime/engine/backend/resources.js';
import { memoryLimitOf } from '../containers/resources.js';
import type { MemoryNode } from '../node.js';
import { MemoryPod } from '../pods/pod.js';
import { confinementOf } from './confinement.js';
import { describeUser, resolveUser } from './resolve-user.js';

const capabilities = (addCapabilities: string[], dropCapabilities: string[], privileged = false) => {
  const securityContext = { privileged, capabilities: { addCapabilities, dropCapabilities } };
  const { linux } = ContainerConfig.fromPartial({ linux: { securityContext } });
  return confinementOf(linux?.securityContext).capabilities;
};

it('adds to and drops from the usual capabilities', () => {
  expect(capabilities(['NET_ADMIN'], ['ALL'])).toEqual(['NET_ADMIN']);
  expect(capabilities(['CAP_NET_ADMIN'], [])).toContain('NET_ADMIN');
  expect(capabilities([], ['CHOWN'])).not.toContain('CHOWN');
  expect(capabilities(['ALL'], [])).toHaveLength(41);
  expect(capabilities([], ['ALL'], true)).toHaveLength(41);
});

it('takes the name of the pod', () => {
  const node = { hostPids: new HostPids() } as unknown as MemoryNode;
  const pod = (config: Parameters<typeof PodSandboxConfig.fromPartial>[0], ip?: string) => {
    const id = 's'.repeat(64);
    return new MemoryPod(
      node,
      { id, config: PodSandboxConfig.fromPartial(config), runtimeHandler: '', createdAt: 0n },
      ip,
    );
  };
  expect(pod({ hostname: 'web' }, '127.64.0.1')).toMatchObject({ hostname: 'web', ips: ['127.64.0.1'] });
  expect(pod({})).toMatchObject({ hostname: 'ssssssssssss', ips: [] });
});

const PLAIN = { key: 'k', command: [], env: {}, pinned: false, hasShell: true, programs: {}, files: {} };

const user = (securityContext: object, image?: Partial<ImageContent>) => {
  const config = ContainerConfig.fromPartial({ linux: { securityContext } });
  const content = image && { ...PLAIN, ...image };
  return resolveUser(config, PodSandboxConfig.fromPartial({}), content);
};

it('finds the user in the config, then in the image', () => {
  expect(user({})).toMatchObject({ uid: 0, gid: 0, groups: [0, 10], name: 'root' });
  expect(user({}, { username: 'www-data' })).toMatchObject({ uid: 33, gid: 33 });
  expect(user({}, { uid: 1003, gid: 1003 })).toMatchObject({ uid: 1003, gid: 1003, groups: [1003] });
  expect(
    user({ runAsUser: { value: 7n }, runAsGroup: { value: 8n }, supplementalGroups: [9n] }),
  ).toMatchObject({
    uid: 7,
    gid: 8,
    groups: [8, 9],
  });
  expect(() => user({ runAsUsername: 'nobody-here' })).toThrow(/no user "nobody-here".*www-data/);
  expect(describeUser(user({ runAsUser: { value: 7n } })).linux).toMatchObject({ uid: 7n });
});

it('adds the groups of the image, unless the policy is Strict', () => {
  const group = { name: 'team', gid: 500, members: ['app'] };
  const image = { accounts: [{ name: 'app', uid: 1000, gid: 1000, home: '/' }], groups: [group] };
  const given = { runAsUser: { value: 1000n }, supplementalGroups: [1234n, 7n] };
  expect(user(given, image)).toMatchObject({ gid: 1000, name: 'app', groups: [1000, 7, 500, 1234] });
  const strict = { ...given, supplementalGroupsPolicy: SupplementalGroupsPolicy.Strict };
  expect(user(strict, image).groups).toEqual([1000, 7, 1234]);
});

it('merges limits: what is not given stays', () => {
  const { linux } = ContainerConfig.fromPartial({
    linux: { resources: { cpuShares: 5n, memoryLimitInBytes: 9n, unified: { a: '1' } } },
  });
  const current = linux?.resources;
  if (current === undefined) throw new Error('no resources');
  const change = ContainerConfig.fromPartial({
    linux: { resources: { cpuShares: 6n, unified: { b: '2' } } },
  });
  const merged = mergeResources(current, change.linux?.resources ?? current);
  expect(merged).toMatchObject({ cpuShares: 6n, memoryLimitInBytes: 9n, unified: { a: '1', b: '2' } });
  expect([memoryLimitOf(merged), memoryLimitOf(undefined)]).toEqual([9, undefined]);
});
