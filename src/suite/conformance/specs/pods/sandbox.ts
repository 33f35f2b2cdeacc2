import { ContainerState, NamespaceMode, PodSandboxState } from '../../../../cri/gen/runtime/v1/api.js';
import type { Checks } from '../../check.js';
import { must, mustEqual, mustFail, mustWork } from '../../expect.js';
import { withSecurity } from '../steps/security.js';

export const sandboxChecks: Checks = {
  async 'INV-01.lifecycle'(t) {
    const { id } = await t.sandbox();
    mustEqual(
      (await t.sandboxStatus(id)).state,
      PodSandboxState.SANDBOX_READY,
      'the state after RunPodSandbox',
    );
    await t.cri.stopPodSandbox({ podSandboxId: id });
    mustEqual(
      (await t.sandboxStatus(id)).state,
      PodSandboxState.SANDBOX_NOTREADY,
      'the state after StopPodSandbox',
    );
    await t.cri.stopPodSandbox({ podSandboxId: id });
    mustEqual(
      (await t.sandboxStatus(id)).state,
      PodSandboxState.SANDBOX_NOTREADY,
      'the state after a second stop',
    );
    await t.cri.removePodSandbox({ podSandboxId: id });
    await mustFail(
      t.cri.podSandboxStatus({ podSandboxId: id, verbose: false }),
      'PodSandboxStatus of a removed sandbox',
    );
  },
  async 'INV-03.not-ready'(t) {
    const sandbox = await t.sandbox();
    await t.cri.stopPodSandbox({ podSandboxId: sandbox.id });
    await mustFail(t.create(sandbox), 'CreateContainer in a stopped sandbox');
    const containers = await t.containersOf(sandbox.id);
    mustEqual(containers, [], 'the containers of the sandbox');
  },
  async 'INV-03.start-not-ready'(t) {
    const sandbox = await t.sandbox();
    const containerId = await t.create(sandbox);
    await t.cri.stopPodSandbox({ podSandboxId: sandbox.id });
    await mustFail(t.cri.startContainer({ containerId }), 'StartContainer in a stopped sandbox');
    must(
      (await t.status(containerId)).state !== ContainerState.CONTAINER_RUNNING,
      'a state other than RUNNING',
      'RUNNING',
    );
  },
  async 'INV-05.stops-containers'(t) {
    const sandbox = await t.sandbox();
    // The kubelet creates containers like these: the end of the sandbox’s process does not end them.
    const ownPid = withSecurity({ namespaceOptions: { pid: NamespaceMode.CONTAINER } });
    const running = [await t.start(sandbox), await t.start(sandbox, ownPid)];
    const created = await t.create(sandbox);
    await t.cri.stopPodSandbox({ podSandboxId: sandbox.id });
    for (const id of running)
      mustEqual((await t.status(id)).state, ContainerState.CONTAINER_EXITED, `the state of ${id}`);
    must(
      (await t.status(created)).state !== ContainerState.CONTAINER_RUNNING,
      'the created container not to run',
      'RUNNING',
    );
  },
  async 'INV-06.removes-containers'(t) {
    const sandbox = await t.sandbox();
    const ids = [await t.start(sandbox), await t.create(sandbox)];
    await mustWork(t.cri.removePodSandbox({ podSandboxId: sandbox.id }), 'RemovePodSandbox of a live pod');
    const { containers } = await t.cri.listContainers({ filter: undefined });
    for (const id of ids) {
      must(
        !containers.some((container) => container.id === id),
        `container ${id} to be absent from the list`,
        'still there',
      );
      await mustFail(
        t.cri.containerStatus({ containerId: id, verbose: false }),
        'ContainerStatus of a removed container',
      );
    }
    const { items } = await t.cri.listPodSandbox({ filter: undefined });
    must(
      !items.some((item) => item.id === sandbox.id),
      'the sandbox to be absent from the list',
      'still there',
    );
  },
};
