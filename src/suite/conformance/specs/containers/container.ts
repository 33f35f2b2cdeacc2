import { ContainerState, NamespaceMode } from '../../../../cri/gen/runtime/v1/api.js';
import type { Check } from '../../check.js';
import type { CheckContext } from '../../check-context.js';
import { must, mustEqual, mustFail, mustWork } from '../../expect.js';
import { processes } from '../steps/look-inside.js';
import { podWithNamespaces, withSecurity } from '../steps/security.js';

/** All observable state of a container, to show that a rejected call changed nothing. */
async function observe(t: CheckContext, containerId: string) {
  const { containers } = await t.cri.listContainers({ filter: { id: containerId } });
  return { status: await t.status(containerId), containers };
}

export const containerChecks: readonly Check[] = [
  {
    id: 'INV-02.lifecycle',
    group: 'container',
    tag: 'spec',
    rule: 'StartContainer changes a container from CREATED to RUNNING; its end or StopContainer changes it to EXITED; RemoveContainer removes it.',
    source: 'cri-api CreateContainer, StartContainer, StopContainer, RemoveContainer',
    async run(t) {
      const sandbox = await t.sandbox();
      const containerId = await t.create(sandbox);
      mustEqual(
        (await t.status(containerId)).state,
        ContainerState.CONTAINER_CREATED,
        'the state after CreateContainer',
      );
      await t.cri.startContainer({ containerId });
      mustEqual(
        (await t.status(containerId)).state,
        ContainerState.CONTAINER_RUNNING,
        'the state after StartContainer',
      );
      await t.cri.stopContainer({ containerId, timeout: 0n });
      mustEqual(
        (await t.status(containerId)).state,
        ContainerState.CONTAINER_EXITED,
        'the state after StopContainer',
      );
      await t.cri.removeContainer({ containerId });
      await mustFail(
        t.cri.containerStatus({ containerId, verbose: false }),
        'ContainerStatus of a removed container',
      );
    },
  },
  {
    id: 'INV-02.remove-created',
    group: 'container',
    tag: 'spec',
    rule: 'A container that was never started can be removed.',
    source: 'cri-api RemoveContainer',
    needs: ['forced removal'],
    async run(t) {
      const sandbox = await t.sandbox();
      const containerId = await t.create(sandbox);
      await mustWork(t.cri.removeContainer({ containerId }), 'RemoveContainer of a CREATED container');
      await mustFail(
        t.cri.containerStatus({ containerId, verbose: false }),
        'ContainerStatus of a removed container',
      );
    },
  },
  {
    id: 'INV-02.remove-running',
    group: 'container',
    tag: 'spec',
    rule: 'RemoveContainer stops a running container first.',
    source: 'cri-api RemoveContainer: forcibly terminated',
    needs: ['forced removal'],
    async run(t) {
      const pid = NamespaceMode.POD;
      const shared = withSecurity({ namespaceOptions: { pid } });
      const sandbox = await podWithNamespaces(t, { pid });
      const containerId = await t.start(sandbox, { ...shared, command: ['sleep', '100733'] });
      const beside = await t.start(sandbox, shared);
      await mustWork(t.cri.removeContainer({ containerId }), 'RemoveContainer of a RUNNING container');
      await mustFail(
        t.cri.containerStatus({ containerId, verbose: false }),
        'ContainerStatus of a removed container',
      );
      const seen = await processes(t, beside);
      must(!seen.includes('sleep 100733'), 'no process of the removed container', seen);
    },
  },
  {
    id: 'INV-03.start-running',
    group: 'container',
    tag: 'common',
    rule: 'A running container cannot be started again, and the attempt changes nothing.',
    source: 'cri-api StartContainer; containerd container_start.go',
    async run(t) {
      const containerId = await t.start(await t.sandbox());
      const before = await observe(t, containerId);
      await mustFail(t.cri.startContainer({ containerId }), 'StartContainer of a RUNNING container');
      mustEqual(await observe(t, containerId), before, 'status and list after the rejection');
    },
  },
  {
    id: 'INV-03.start-exited',
    group: 'container',
    tag: 'common',
    rule: 'An exited container cannot be started again, and the attempt changes nothing.',
    source: 'cri-api StartContainer; containerd container_start.go',
    async run(t) {
      const containerId = await t.script(await t.sandbox(), 'exit 0');
      await t.exited(containerId);
      const before = await observe(t, containerId);
      await mustFail(t.cri.startContainer({ containerId }), 'StartContainer of an EXITED container');
      mustEqual(await observe(t, containerId), before, 'status and list after the rejection');
    },
  },
  {
    id: 'INV-03.exec-not-running',
    group: 'container',
    tag: 'common',
    rule: 'ExecSync is rejected in a container that is not running.',
    source: 'containerd container_execsync.go, CRI-O container_exec.go',
    async run(t) {
      const sandbox = await t.sandbox();
      const cmd = ['true'];
      const created = await t.create(sandbox);
      await mustFail(
        t.cri.execSync({ containerId: created, cmd, timeout: 5n }),
        'ExecSync in a CREATED container',
      );
      const exited = await t.script(sandbox, 'exit 0');
      await t.exited(exited);
      await mustFail(
        t.cri.execSync({ containerId: exited, cmd, timeout: 5n }),
        'ExecSync in an EXITED container',
      );
    },
  },
  {
    id: 'INV-04.stop-created',
    group: 'container',
    tag: 'common',
    rule: 'StopContainer of a container that was never started is OK and leaves it CREATED.',
    source: 'containerd container_stop.go, CRI-O container_stop.go',
    async run(t) {
      const containerId = await t.create(await t.sandbox());
      await mustWork(
        t.cri.stopContainer({ containerId, timeout: 0n }),
        'StopContainer of a CREATED container',
      );
      mustEqual(
        (await t.status(containerId)).state,
        ContainerState.CONTAINER_CREATED,
        'the state afterwards',
      );
    },
  },
  {
    id: 'INV-07.exited-is-final',
    group: 'container',
    tag: 'strict',
    rule: 'Once a container has EXITED, its exit code, reason and times never change.',
    source: 'the kubelet reports them as lastState',
    async run(t) {
      const sandbox = await t.sandbox();
      const containerId = await t.script(sandbox, 'exit 3');
      const before = await t.exited(containerId);
      mustEqual(before.exitCode, 3, 'the exit code');
      await t.cri.stopContainer({ containerId, timeout: 0n });
      await t.cri.startContainer({ containerId }).catch(() => {});
      await t.cri.stopPodSandbox({ podSandboxId: sandbox.id });
      mustEqual(await t.status(containerId), before, 'the status after stops and a rejected start');
    },
  },
  {
    id: 'INV-02.no-restart',
    group: 'container',
    tag: 'spec',
    rule: 'The runtime never restarts a container by itself.',
    source: 'cri-api: restart policies belong to the kubelet',
    async run(t) {
      const containerId = await t.script(await t.sandbox(), 'exit 1');
      const before = await t.exited(containerId);
      await t.clock.sleep(300);
      must(
        (await t.status(containerId)).startedAt === before.startedAt,
        'the same started_at',
        await t.status(containerId),
      );
    },
  },
];
