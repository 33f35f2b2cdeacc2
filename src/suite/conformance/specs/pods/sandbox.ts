import { ContainerState, NamespaceMode, PodSandboxState } from '../../../../cri/gen/runtime/v1/api.js';
import type { Check } from '../../check.js';
import { must, mustEqual, mustFail, mustWork } from '../../expect.js';
import { withSecurity } from '../steps/security.js';

export const sandboxChecks: readonly Check[] = [
  {
    id: 'INV-01.lifecycle',
    group: 'sandbox',
    tag: 'spec',
    rule: 'A sandbox is READY after RunPodSandbox, NOTREADY after StopPodSandbox and removed after RemovePodSandbox; it never becomes READY again.',
    source: 'cri-api RunPodSandbox, StopPodSandbox, RemovePodSandbox',
    async run(t) {
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
  },
  {
    id: 'INV-03.not-ready',
    group: 'sandbox',
    tag: 'common',
    rule: 'CreateContainer in a stopped sandbox is rejected and leaves nothing behind.',
    source: 'cri-api CreateContainer; containerd container_create.go, CRI-O container_create.go',
    upstream: ['containerd#13654'],
    async run(t) {
      const sandbox = await t.sandbox();
      await t.cri.stopPodSandbox({ podSandboxId: sandbox.id });
      await mustFail(t.create(sandbox), 'CreateContainer in a stopped sandbox');
      const containers = await t.containersOf(sandbox.id);
      mustEqual(containers, [], 'the containers of the sandbox');
    },
  },
  {
    id: 'INV-03.start-not-ready',
    group: 'sandbox',
    tag: 'common',
    rule: 'A container that was created before its sandbox stopped cannot be started any more.',
    source: 'containerd container_start.go: sandbox container is not running',
    async run(t) {
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
  },
  {
    id: 'INV-05.stops-containers',
    group: 'sandbox',
    tag: 'spec',
    rule: 'After StopPodSandbox has returned, none of the sandbox’s containers runs.',
    source: 'cri-api StopPodSandbox: running containers are forcibly terminated',
    async run(t) {
      const sandbox = await t.sandbox();
      // As the kubelet creates them: the end of the sandbox’s process does not end them.
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
  },
  {
    id: 'INV-06.removes-containers',
    group: 'sandbox',
    tag: 'spec',
    rule: 'After RemovePodSandbox has returned, no list and no status shows the sandbox’s containers.',
    source: 'cri-api RemovePodSandbox: forcibly terminated and removed',
    needs: ['forced removal'],
    async run(t) {
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
  },
];
