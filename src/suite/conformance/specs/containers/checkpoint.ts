import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ContainerState } from '../../../../cri/gen/runtime/v1/api.js';
import { Code } from '../../../../cri/status-code.js';
import type { Checks } from '../../check.js';
import type { CheckContext } from '../../check-context.js';
import { must, mustEqual, mustFail, mustWork } from '../../expect.js';

const DEADLINE = { timeout: 30_000 };

async function pod(t: CheckContext) {
  const sandbox = await t.sandbox();
  const names = [t.name('one'), t.name('two')];
  const containerIds = [
    await t.start(sandbox, { name: names[0] as string }),
    await t.start(sandbox, { name: names[1] as string }),
  ];
  const outputPath = t.emptyDirectory('checkpoint');
  const request = { podSandboxId: sandbox.id, outputPath, containerIds, options: {} };
  return { sandbox, names, containerIds, outputPath, request };
}

/** Checkpoints a pod; returns a function that creates a request to restore it as a new pod. */
async function checkpointed(t: CheckContext) {
  const { names, request } = await pod(t);
  await t.cri.checkpointPod(request, DEADLINE);
  const containerConfigs = names.map((name) => t.containerConfig({ name }));
  const restoring = (labels: Readonly<Record<string, string>> = {}) => ({
    checkpointPath: request.outputPath,
    config: t.sandboxConfig({ labels }),
    runtimeHandler: '',
    options: {},
    containerConfigs,
  });
  return { names, containerConfigs, restoring };
}

async function mustAllRun(t: CheckContext, ids: readonly string[]): Promise<void> {
  for (const id of ids)
    mustEqual((await t.status(id)).state, ContainerState.CONTAINER_RUNNING, `the state of ${id} afterwards`);
}

export const checkpointChecks: Checks = {
  async 'INV-55.checkpoint'(t) {
    const { containerIds, outputPath, request } = await pod(t);
    await mustWork(t.cri.checkpointPod(request, DEADLINE), 'CheckpointPod');
    must((await readdir(outputPath)).length > 0, 'files in the output path', 'none');
    await mustAllRun(t, containerIds);
  },
  async 'INV-55.failure'(t) {
    const { sandbox, containerIds, outputPath, request: good } = await pod(t);
    const [first = ''] = containerIds;
    const stopped = await t.create(sandbox);
    const wrong: readonly [string, object][] = [
      ['without containers', { containerIds: [] }],
      ['with a container twice', { containerIds: [first, first] }],
      ['with a container that does not run', { containerIds: [...containerIds, stopped] }],
      ['with an unknown container', { containerIds: ['f'.repeat(64)] }],
      ['with a path that does not exist', { outputPath: join(outputPath, 'missing') }],
    ];
    for (const [what, change] of wrong) {
      await mustFail(t.cri.checkpointPod({ ...good, ...change }, DEADLINE), `CheckpointPod ${what}`);
      mustEqual(await readdir(outputPath), [], `the files in the output path after CheckpointPod ${what}`);
      await mustAllRun(t, containerIds);
    }
  },
  async 'INV-55.options'(t) {
    const { request } = await pod(t);
    const odd = { ...request, options: { 'no-such-option': '1' } };
    await mustFail(t.cri.checkpointPod(odd, DEADLINE), 'CheckpointPod with an unknown option', [
      Code.INVALID_ARGUMENT,
    ]);
  },
  async 'INV-55.deadline'(t) {
    const { request } = await pod(t);
    await mustFail(t.cri.checkpointPod(request), 'CheckpointPod without a deadline');
  },
  async 'INV-55.restore'(t) {
    const { names, restoring } = await checkpointed(t);
    const reply = await mustWork(t.cri.restorePod(restoring(), DEADLINE), 'RestorePod');
    t.track(reply.podSandboxId);
    const restored = reply.restoredContainers;
    mustEqual(restored.map((one) => one.name).sort(), [...names].sort(), 'the names restored');
    const ids = restored.map((one) => one.containerId);
    mustEqual(new Set(ids).size, names.length, 'the number of different ids');
    for (const id of ids)
      mustEqual((await t.status(id)).state, ContainerState.CONTAINER_CREATED, `the state of ${id}`);
  },
  async 'INV-55.restore-refused'(t) {
    const { containerConfigs, restoring } = await checkpointed(t);
    const app = t.name('app');
    const request = () => restoring({ app });
    const fewer = { ...request(), containerConfigs: containerConfigs.slice(1) };
    const odd = { ...request(), options: { 'no-such-option': '1' } };
    await mustFail(t.cri.restorePod(fewer, DEADLINE), 'RestorePod with a config too few');
    await mustFail(t.cri.restorePod(odd, DEADLINE), 'RestorePod with an unknown option');
    await mustFail(t.cri.restorePod(request()), 'RestorePod without a deadline');
    const { items } = await t.cri.listPodSandbox({ filter: { labelSelector: { app } } });
    mustEqual(
      items.map(({ id }) => id),
      [],
      'the sandboxes left by RestorePod calls that failed',
    );
  },
  async 'INV-55.container'(t) {
    const containerId = await t.start(await t.sandbox());
    const location = join(t.emptyDirectory('checkpoint'), 'checkpoint.tar');
    await mustWork(t.cri.checkpointContainer({ containerId, location, timeout: 0n }), 'CheckpointContainer');
    must((await readdir(join(location, '..'))).length > 0, 'a file at the location', 'none');
    mustEqual((await t.status(containerId)).state, ContainerState.CONTAINER_RUNNING, 'the state afterwards');
  },
  async 'INV-55.prefix'(t) {
    const containerId = await t.start(await t.sandbox());
    const location = join(t.emptyDirectory('checkpoint'), 'checkpoint.tar');
    const request = { containerId: containerId.slice(0, 13), location, timeout: 0n };
    await mustWork(t.cri.checkpointContainer(request), 'CheckpointContainer with a prefix of the id');
    must((await readdir(join(location, '..'))).length > 0, 'a file at the location', 'none');
    await mustAllRun(t, [containerId]);
  },
};
