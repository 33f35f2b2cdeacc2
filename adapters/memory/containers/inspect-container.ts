import type { ContainerConfig } from '../../../src/cri/gen/runtime/v1/api.js';
import type { MemoryContainer } from './container.js';

/** Verbose detail in the shape of containerd's. */
export function inspectContainer(container: MemoryContainer): Record<string, unknown> {
  const { config, user, view, pod } = container;
  const { env, cwd } = container.startEnvironment(config);
  const process = {
    terminal: config.tty,
    user: { uid: user.uid, gid: user.gid, additionalGids: user.groups },
    args: container.argv(config),
    env: Array.from(env, ([name, value]) => `${name}=${value}`),
    cwd,
  };
  const root = { path: 'rootfs', readonly: view.readonlyRootfs };
  return {
    sandboxID: pod.id,
    pid: container.hostPid,
    runtimeType: 'memory',
    config: describeConfig(config),
    runtimeSpec: { process, root, hostname: pod.hostname },
  };
}

/** Values of variables are bytes in the API, and text to read in JSON. */
const describeConfig = (config: ContainerConfig) => ({
  ...config,
  envs: config.envs.map(({ key, value }) => ({ key, value: value.toString() })),
});
