import { LinuxPodSandboxConfig } from '../../../../cri/gen/runtime/v1/api.js';
import { Code } from '../../../../cri/status-code.js';
import type { Checks } from '../../check.js';
import type { CheckContext, Sandbox } from '../../check-context.js';
import { must, mustEqual, mustFail, mustWork } from '../../expect.js';
import { restart } from '../steps/restart.js';

/** Unique numbers, which nothing else in a status has. */
const BEFORE = 100_003_840n;
const OVERHEAD = { memoryLimitInBytes: 18_878_464n, cpuShares: 77n };
const RESOURCES = {
  memoryLimitInBytes: 130_027_520n,
  cpuPeriod: 100_000n,
  cpuQuota: 70_000n,
  cpuShares: 717n,
};

const LIMITED = { resources: { memoryLimitInBytes: BEFORE } };

/** Returns everything in a verbose status in addition to its fields. */
async function infoOf(t: CheckContext, { id }: Sandbox): Promise<string> {
  const { info } = await t.cri.podSandboxStatus({ podSandboxId: id, verbose: true });
  return Object.values(info).join('\n');
}

async function updated(t: CheckContext) {
  const sandbox = await t.sandbox({ linux: LinuxPodSandboxConfig.fromPartial(LIMITED) });
  const containerId = await t.start(sandbox);
  const shows = (await infoOf(t, sandbox)).includes(String(BEFORE));
  const request = { podSandboxId: sandbox.id, overhead: OVERHEAD, resources: RESOURCES };
  await mustWork(t.cri.updatePodSandboxResources(request), 'UpdatePodSandboxResources');
  return { sandbox, containerId, shows };
}

async function mustShowNew(t: CheckContext, sandbox: Sandbox, when: string): Promise<void> {
  const info = await infoOf(t, sandbox);
  for (const bytes of [OVERHEAD.memoryLimitInBytes, RESOURCES.memoryLimitInBytes])
    must(info.includes(String(bytes)), `${bytes} in the verbose PodSandboxStatus ${when}`, info);
}

export const podResourceChecks: Checks = {
  async 'INV-59.update'(t) {
    const sandbox = await t.sandbox();
    const containerId = await t.start(sandbox);
    const before = [await t.sandboxStatus(sandbox.id), await t.status(containerId)];
    for (const which of ['first', 'second']) {
      const request = { podSandboxId: sandbox.id, overhead: OVERHEAD, resources: RESOURCES };
      await mustWork(t.cri.updatePodSandboxResources(request), `the ${which} UpdatePodSandboxResources`);
    }
    const after = [await t.sandboxStatus(sandbox.id), await t.status(containerId)];
    mustEqual(after, before, 'the statuses of the sandbox and its container');
  },
  async 'INV-59.unknown'(t) {
    const request = { podSandboxId: 'f'.repeat(64), overhead: OVERHEAD, resources: RESOURCES };
    const call = t.cri.updatePodSandboxResources(request);
    await mustFail(call, 'UpdatePodSandboxResources of an unknown sandbox', [Code.NOT_FOUND]);
  },
  async 'INV-59.shown'(t) {
    const { sandbox, shows } = await updated(t);
    if (!shows) t.skip('the verbose PodSandboxStatus does not have the resources of the pod');
    await mustShowNew(t, sandbox, 'after the update');
  },
  async 'INV-59.restart'(t) {
    const { sandbox, containerId, shows } = await updated(t);
    if (!shows) t.skip('the verbose PodSandboxStatus does not have the resources of the pod');
    await restart(t);
    await t.status(containerId);
    await mustShowNew(t, sandbox, 'after the restart');
  },
};
