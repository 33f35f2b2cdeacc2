import { expect, test } from 'vitest';
import { createWith, IMAGE } from '../../../../test/support/profiles/pod-fixture.js';
import { usePodFixtures } from '../../../../test/support/profiles/use-pod-fixtures.js';

/** The OCI specs in containerd's verbose information, as seen on 2.1.9. */

const start = usePodFixtures();

test('the OCI specs in verbose information have the keys of containerd', async () => {
  const { cri, config } = await start('containerd-2.4');
  const own = { ...config, linux: {} };
  const { podSandboxId } = await cri.runPodSandbox({ config: own });
  const given = { metadata: { name: 'app', attempt: 0 }, image: IMAGE, command: ['sleep', '9'] };
  const { containerId } = await cri.createContainer({ podSandboxId, config: given, sandboxConfig: own });
  const keysOf = (info: string | undefined) => {
    const { process, linux, ...rest } = (JSON.parse(info ?? '') as { runtimeSpec: Record<string, object> })
      .runtimeSpec;
    return [rest, process ?? {}, linux ?? {}].map((part) => Object.keys(part).sort().join(' '));
  };
  const sandbox = await cri.podSandboxStatus({ podSandboxId, verbose: true });
  expect(keysOf(sandbox.info.info)).toEqual([
    'annotations mounts ociVersion root',
    'args capabilities cwd env noNewPrivileges oomScoreAdj user',
    'cgroupsPath maskedPaths namespaces readonlyPaths resources sysctl',
  ]);
  const container = await cri.containerStatus({ containerId, verbose: true });
  expect(keysOf(container.info.info)).toEqual([
    'annotations mounts ociVersion root',
    'args capabilities cwd env user',
    'cgroupsPath namespaces resources',
  ]);
});

test('verbose information has groups, capabilities and namespaces', async () => {
  const fixture = await start('containerd-2.4');
  const securityContext = {
    supplementalGroups: [7n],
    noNewPrivs: true,
    capabilities: { addCapabilities: ['NET_ADMIN'], dropCapabilities: ['CHOWN'], addAmbientCapabilities: [] },
    namespaceOptions: { network: 2, pid: 1, ipc: 2 },
  };
  const { containerId } = await createWith(fixture, {
    linux: { securityContext, resources: { oomScoreAdj: -5n } },
  });
  const { info } = await fixture.cri.containerStatus({ containerId, verbose: true });
  const { config, runtimeSpec } = JSON.parse(info.info ?? '');
  expect(config.linux.security_context.supplemental_groups).toEqual([7]);
  const { process, linux, mounts, root } = runtimeSpec;
  expect(process).toMatchObject({ noNewPrivileges: true, oomScoreAdj: -5 });
  expect(process.capabilities.bounding).toContain('CAP_NET_ADMIN');
  expect(process.capabilities.bounding).not.toContain('CAP_CHOWN');
  expect(process.env.filter((variable: string) => variable.startsWith('HOME='))).toEqual([]);
  expect(root).toEqual({ path: 'rootfs' });
  expect(linux.resources).toMatchObject({ cpu: {}, memory: {} });
  const types = linux.namespaces.map(({ type, path }: { type: string; path?: string }) => [
    type,
    path !== undefined,
  ]);
  expect(types).toContainEqual(['network', true]);
  expect(types).toContainEqual(['uts', true]);
  expect(types).toContainEqual(['pid', false]);
  expect(mounts).toContainEqual(expect.objectContaining({ destination: '/dev/shm', source: '/dev/shm' }));
});

test('namespaces of the host are not in the OCI spec of a sandbox', async () => {
  const { cri, config } = await start('containerd-2.4');
  const namespaceOptions = { pid: 2, ipc: 2 };
  const { podSandboxId } = await cri.runPodSandbox({
    config: { ...config, linux: { securityContext: { namespaceOptions } } },
  });
  const { info } = await cri.podSandboxStatus({ podSandboxId, verbose: true });
  const { linux } = JSON.parse(info.info ?? '').runtimeSpec;
  expect(linux.namespaces.map(({ type }: { type: string }) => type).sort()).toEqual([
    'mount',
    'network',
    'uts',
  ]);
});
