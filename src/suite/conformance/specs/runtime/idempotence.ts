import { Code, codeName } from '../../../../cri/status-code.js';
import type { Checks } from '../../check.js';
import type { CheckContext } from '../../check-context.js';
import { must, mustEqual, mustFail, mustWork } from '../../expect.js';

/** Ids that no runtime has: a UUID, as in critest, and 64 hex digits. */
const UNKNOWN_IDS = ['3f1e9d2c-2b5a-4c1e-9a57-0d6f1c5b7e11', 'f'.repeat(64)];

const REPEATS = 3;

type CallWithId = readonly [string, (t: CheckContext, id: string) => Promise<unknown>];

const NEED_RUNNING: readonly CallWithId[] = [
  ['ExecSync', (t, containerId) => t.cri.execSync({ containerId, cmd: ['true'], timeout: 1n })],
  ['Exec', (t, containerId) => t.cri.exec({ containerId, cmd: ['true'], stdout: true })],
  ['Attach', (t, containerId) => t.cri.attach({ containerId, stdout: true })],
  ['ReopenContainerLog', (t, containerId) => t.cri.reopenContainerLog({ containerId })],
];

/** Calls that need an object and must report its absence. */
const ABSENT: readonly CallWithId[] = [
  ...NEED_RUNNING,
  ['PodSandboxStatus', (t, podSandboxId) => t.cri.podSandboxStatus({ podSandboxId, verbose: false })],
  ['ContainerStatus', (t, containerId) => t.cri.containerStatus({ containerId, verbose: false })],
  ['StartContainer', (t, containerId) => t.cri.startContainer({ containerId })],
  ['ContainerStats', (t, containerId) => t.cri.containerStats({ containerId })],
  ['PortForward', (t, podSandboxId) => t.cri.portForward({ podSandboxId, port: [80] })],
  ['CreateContainer in an unknown sandbox', (t, id) => t.create({ id, config: t.sandboxConfig() })],
];

export const idempotenceChecks: Checks = {
  async 'INV-08.unknown'({ cri }) {
    for (const id of UNKNOWN_IDS) {
      await mustWork(cri.stopPodSandbox({ podSandboxId: id }), `StopPodSandbox of unknown ${id}`);
      await mustWork(cri.removePodSandbox({ podSandboxId: id }), `RemovePodSandbox of unknown ${id}`);
      await mustWork(cri.stopContainer({ containerId: id, timeout: 0n }), `StopContainer of unknown ${id}`);
      await mustWork(cri.removeContainer({ containerId: id }), `RemoveContainer of unknown ${id}`);
    }
    const image = { image: 'localhost/no-such-image:1' };
    await mustWork(cri.removeImage({ image }), 'RemoveImage of an unknown image');
  },
  async 'INV-08.repeated'(t) {
    const sandbox = await t.sandbox();
    const containerId = await t.start(sandbox);
    const podSandboxId = sandbox.id;
    for (let round = 0; round < REPEATS; round++) {
      await mustWork(t.cri.stopContainer({ containerId, timeout: 0n }), `StopContainer number ${round + 1}`);
    }
    for (let round = 0; round < REPEATS; round++) {
      await mustWork(t.cri.removeContainer({ containerId }), `RemoveContainer number ${round + 1}`);
    }
    for (let round = 0; round < REPEATS; round++) {
      await mustWork(t.cri.stopPodSandbox({ podSandboxId }), `StopPodSandbox number ${round + 1}`);
    }
    for (let round = 0; round < REPEATS; round++) {
      await mustWork(t.cri.removePodSandbox({ podSandboxId }), `RemovePodSandbox number ${round + 1}`);
    }
  },
  async 'INV-09.not-found'(t) {
    for (const [what, call] of ABSENT) {
      for (const id of UNKNOWN_IDS) await mustFail(call(t, id), `${what} of ${id}`, [Code.NOT_FOUND]);
    }
  },
  async 'INV-10.empty-id'(t) {
    for (const [what, call] of ABSENT) await mustFail(call(t, ''), `${what} without an id`);
    await mustFail(t.cri.stopContainer({ containerId: '', timeout: 0n }), 'StopContainer without an id');
    await mustFail(t.cri.removeContainer({ containerId: '' }), 'RemoveContainer without an id');
    await mustFail(t.cri.stopPodSandbox({ podSandboxId: '' }), 'StopPodSandbox without an id');
    await mustFail(t.cri.removePodSandbox({ podSandboxId: '' }), 'RemovePodSandbox without an id');
  },
  async 'INV-11.wrong-state'(t) {
    const codes = [Code.FAILED_PRECONDITION];
    const sandbox = await t.sandbox();
    const [created, containerId] = [await t.create(sandbox), await t.start(sandbox)];
    const start = (what: string) =>
      mustFail(t.cri.startContainer({ containerId }), `StartContainer of ${what} container`, codes);
    const needRunning = async (id: string, what: string) => {
      for (const [rpc, call] of NEED_RUNNING)
        await mustFail(call(t, id), `${rpc} of ${what} container`, codes);
    };
    await start('a RUNNING');
    await needRunning(created, 'a CREATED');
    await t.cri.stopContainer({ containerId, timeout: 0n });
    await start('an EXITED');
    await needRunning(containerId, 'an EXITED');
    const podSandboxId = sandbox.id;
    await t.cri.stopPodSandbox({ podSandboxId });
    await mustFail(t.create(sandbox), 'CreateContainer in a stopped sandbox', codes);
    const startCreated = t.cri.startContainer({ containerId: created });
    await mustFail(startCreated, 'StartContainer in a stopped sandbox', codes);
    const forward = t.cri.portForward({ podSandboxId, port: [80] });
    await mustFail(forward, 'PortForward to a stopped sandbox', codes);
  },
  // Runs alone: it ends some runtimes, and with them the calls of other checks.
  async 'INV-11.invalid'(t) {
    const bad = [Code.INVALID_ARGUMENT];
    await mustFail(
      t.cri.runPodSandbox({ config: undefined, runtimeHandler: '' }),
      'RunPodSandbox without a config',
      bad,
    );
    const config = t.sandboxConfig({ metadata: undefined });
    await mustFail(
      t.cri.runPodSandbox({ config, runtimeHandler: '' }),
      'RunPodSandbox without metadata',
      bad,
    );
    const sandbox = await t.sandbox();
    const create = t.cri.createContainer({
      podSandboxId: sandbox.id,
      config: undefined,
      sandboxConfig: sandbox.config,
    });
    await mustFail(create, 'CreateContainer without a config', bad);
    const groupOnly = { linux: { securityContext: { runAsGroup: { value: 5n } } } };
    await mustFail(t.create(sandbox, groupOnly), 'CreateContainer with run_as_group but no user', bad);
  },
  async 'INV-11.group-without-user'(t) {
    const sandbox = await t.sandbox();
    const groupOnly = { linux: { securityContext: { runAsGroup: { value: 5n } } } };
    await mustFail(t.create(sandbox, groupOnly), 'CreateContainer with run_as_group but no user');
  },
  async 'INV-11.name-taken'(t) {
    const taken = [Code.ALREADY_EXISTS, Code.FAILED_PRECONDITION];
    const sandbox = await t.sandbox();
    const again = t.cri.runPodSandbox({ config: sandbox.config, runtimeHandler: '' });
    const { code } = await mustFail(again, 'RunPodSandbox with the same metadata', taken);
    must(code !== Code.OK, 'a failure', codeName(code));
    const name = t.name('ctr');
    await t.create(sandbox, { name });
    await mustFail(t.create(sandbox, { name }), 'CreateContainer with the same name and attempt', taken);
    mustEqual((await t.containersOf(sandbox.id)).length, 1, 'the number of containers');
  },
};
