import { ContainerState, NamespaceMode } from '../../../../cri/gen/runtime/v1/api.js';
import type { Checks } from '../../check.js';
import type { CheckContext } from '../../check-context.js';
import { must, mustEqual, mustFail, mustWork } from '../../expect.js';
import { processes } from '../steps/look-inside.js';
import { podWithNamespaces, withSecurity } from '../steps/security.js';

/** All observable state of a container, to show that a rejected call changed nothing. */
async function observe(t: CheckContext, containerId: string) {
  const { containers } = await t.cri.listContainers({ filter: { id: containerId } });
  return { status: await t.status(containerId), containers };
}

export const containerChecks: Checks = {
  async 'INV-02.lifecycle'(t) {
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
  async 'INV-02.remove-created'(t) {
    const sandbox = await t.sandbox();
    const containerId = await t.create(sandbox);
    await mustWork(t.cri.removeContainer({ containerId }), 'RemoveContainer of a CREATED container');
    await mustFail(
      t.cri.containerStatus({ containerId, verbose: false }),
      'ContainerStatus of a removed container',
    );
  },
  async 'INV-02.remove-running'(t) {
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
  async 'INV-03.start-running'(t) {
    const containerId = await t.start(await t.sandbox());
    const before = await observe(t, containerId);
    await mustFail(t.cri.startContainer({ containerId }), 'StartContainer of a RUNNING container');
    mustEqual(await observe(t, containerId), before, 'status and list after the rejection');
  },
  async 'INV-03.start-exited'(t) {
    const containerId = await t.script(await t.sandbox(), 'exit 0');
    await t.exited(containerId);
    const before = await observe(t, containerId);
    await mustFail(t.cri.startContainer({ containerId }), 'StartContainer of an EXITED container');
    mustEqual(await observe(t, containerId), before, 'status and list after the rejection');
  },
  async 'INV-03.exec-not-running'(t) {
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
  async 'INV-04.stop-created'(t) {
    const containerId = await t.create(await t.sandbox());
    await mustWork(t.cri.stopContainer({ containerId, timeout: 0n }), 'StopContainer of a CREATED container');
    mustEqual((await t.status(containerId)).state, ContainerState.CONTAINER_CREATED, 'the state afterwards');
  },
  async 'INV-07.exited-is-final'(t) {
    const sandbox = await t.sandbox();
    const containerId = await t.script(sandbox, 'exit 3');
    const before = await t.exited(containerId);
    mustEqual(before.exitCode, 3, 'the exit code');
    await t.cri.stopContainer({ containerId, timeout: 0n });
    await t.cri.startContainer({ containerId }).catch(() => {});
    await t.cri.stopPodSandbox({ podSandboxId: sandbox.id });
    mustEqual(await t.status(containerId), before, 'the status after stops and a rejected start');
  },
  async 'INV-02.no-restart'(t) {
    const containerId = await t.script(await t.sandbox(), 'exit 1');
    const before = await t.exited(containerId);
    await t.clock.sleep(300);
    must(
      (await t.status(containerId)).startedAt === before.startedAt,
      'the same started_at',
      await t.status(containerId),
    );
  },
};
