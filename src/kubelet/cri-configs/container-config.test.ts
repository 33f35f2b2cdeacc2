import { expect, test } from 'vitest';
import { aContainer, aPod } from '../../../test/support/kubelet/objects.js';
import { noFiles } from '../disk/files.js';
import type { ImageUser } from './container-config.js';
import { containerConfig } from './container-config.js';
import { sandboxConfig } from './sandbox-config.js';

test.each<[ImageUser, object]>([
  [{ uid: 1000n }, { runAsUser: { value: 1000n }, runAsUsername: '' }],
  [{ username: 'www' }, { runAsUser: undefined, runAsUsername: 'www' }],
])('a container without its own user runs as the user of its image: %o', async (user, expected) => {
  const securityContext = { runAsGroup: 3 };
  const context = async (pod = aPod(), container = aContainer({ securityContext })) => {
    const input = {
      pod,
      container,
      restartCount: 0,
      hash: '',
      imageRef: '',
      user,
      env: new Map<string, string>(),
      podIps: [],
      files: noFiles,
    };
    return (await containerConfig(input)).linux?.securityContext;
  };
  expect(await context()).toMatchObject({ ...expected, runAsGroup: { value: 3n } });
  expect(await context(aPod({ securityContext: { runAsUser: 7 } }))).toMatchObject({
    runAsUser: { value: 7n },
    runAsUsername: '',
  });
});

test('a sandbox with host network gets its port mappings like any other', () => {
  const ports = [{ containerPort: 80, hostPort: 80, protocol: 'TCP' }] as const;
  const pod = aPod({ hostNetwork: true, containers: [aContainer({ ports })] });
  expect(sandboxConfig(pod, 0, '/logs').portMappings).toEqual([
    { protocol: 0, containerPort: 80, hostPort: 80, hostIp: '' },
  ]);
});
