import {
  CgroupDriver,
  LinuxPodSandboxConfig,
  type PodSandboxConfig,
  type RuntimeConfigResponse,
} from '../../../../cri/gen/runtime/v1/api.js';
import type { CheckContext, Sandbox } from '../../check-context.js';

/** The kubelet creates the cgroup for pod stats; here it is an existing one. */
async function cgroupParent(t: CheckContext): Promise<string> {
  const { linux } = await t.cri.runtimeConfig({}).catch((): RuntimeConfigResponse => ({ linux: undefined }));
  return linux?.cgroupDriver === CgroupDriver.SYSTEMD ? 'system.slice' : '/';
}

/** A sandbox with a cgroup, which some runtimes need for its stats. */
export async function podWithCgroup(
  t: CheckContext,
  changes: Partial<PodSandboxConfig> = {},
): Promise<Sandbox> {
  const linux = LinuxPodSandboxConfig.fromPartial({ cgroupParent: await cgroupParent(t) });
  return t.sandbox({ ...changes, linux });
}
