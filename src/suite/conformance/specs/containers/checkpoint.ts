import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ContainerState } from '../../../../cri/gen/runtime/v1/api.js';
import { Code } from '../../../../cri/status-code.js';
import type { Check } from '../../check.js';
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

export const checkpointChecks: readonly Check[] = [
  {
    id: 'INV-55.checkpoint',
    group: 'checkpoint',
    tag: 'spec',
    rule: 'CheckpointPod writes into the given directory and leaves every container running.',
    source: 'cri-api CheckpointPod, KEP-5823',
    needs: ['checkpoint pod'],
    async run(t) {
      const { containerIds, outputPath, request } = await pod(t);
      await mustWork(t.cri.checkpointPod(request, DEADLINE), 'CheckpointPod');
      must((await readdir(outputPath)).length > 0, 'files in the output path', 'none');
      await mustAllRun(t, containerIds);
    },
  },
  {
    id: 'INV-55.failure',
    group: 'checkpoint',
    tag: 'spec',
    rule: 'A rejected CheckpointPod leaves the directory empty and every container running.',
    source: 'cri-api CheckpointPod: on error partial output is removed',
    needs: ['checkpoint pod'],
    async run(t) {
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
  },
  {
    id: 'INV-55.options',
    group: 'checkpoint',
    tag: 'spec',
    rule: 'CheckpointPod rejects unknown options with INVALID_ARGUMENT.',
    source: 'cri-api CheckpointPodRequest.options',
    needs: ['checkpoint pod'],
    async run(t) {
      const { request } = await pod(t);
      const odd = { ...request, options: { 'no-such-option': '1' } };
      await mustFail(t.cri.checkpointPod(odd, DEADLINE), 'CheckpointPod with an unknown option', [
        Code.INVALID_ARGUMENT,
      ]);
    },
  },
  {
    id: 'INV-55.deadline',
    group: 'checkpoint',
    tag: 'spec',
    rule: 'CheckpointPod without a deadline is rejected.',
    source: 'cri-api CheckpointPod: the caller must set a deadline',
    needs: ['checkpoint pod'],
    async run(t) {
      const { request } = await pod(t);
      await mustFail(t.cri.checkpointPod(request), 'CheckpointPod without a deadline');
    },
  },
  {
    id: 'INV-55.restore',
    group: 'checkpoint',
    tag: 'spec',
    rule: 'RestorePod returns a sandbox whose containers are CREATED, one for each config.',
    source: 'cri-api RestorePod, KEP-5823',
    needs: ['checkpoint pod'],
    async run(t) {
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
  },
  {
    id: 'INV-55.restore-refused',
    group: 'checkpoint',
    tag: 'spec',
    rule: 'A RestorePod with another number of configs, an unknown option or no deadline is rejected and leaves no sandbox.',
    source: 'cri-api RestorePod, KEP-5823',
    needs: ['checkpoint pod'],
    async run(t) {
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
  },
  {
    id: 'INV-55.container',
    group: 'checkpoint',
    tag: 'spec',
    rule: 'CheckpointContainer writes to the given location and leaves the container running.',
    source: 'cri-api CheckpointContainer, KEP-2008',
    needs: ['checkpoint container'],
    async run(t) {
      const containerId = await t.start(await t.sandbox());
      const location = join(t.emptyDirectory('checkpoint'), 'checkpoint.tar');
      await mustWork(
        t.cri.checkpointContainer({ containerId, location, timeout: 0n }),
        'CheckpointContainer',
      );
      must((await readdir(join(location, '..'))).length > 0, 'a file at the location', 'none');
      mustEqual(
        (await t.status(containerId)).state,
        ContainerState.CONTAINER_RUNNING,
        'the state afterwards',
      );
    },
  },
  {
    id: 'INV-55.prefix',
    group: 'checkpoint',
    tag: 'common',
    rule: 'CheckpointContainer takes a unique prefix of the container’s id.',
    source: 'containerd and CRI-O resolve prefixes; crictl checkpoint',
    upstream: ['containerd#12758'],
    needs: ['checkpoint container'],
    async run(t) {
      const containerId = await t.start(await t.sandbox());
      const location = join(t.emptyDirectory('checkpoint'), 'checkpoint.tar');
      const request = { containerId: containerId.slice(0, 13), location, timeout: 0n };
      await mustWork(t.cri.checkpointContainer(request), 'CheckpointContainer with a prefix of the id');
      must((await readdir(join(location, '..'))).length > 0, 'a file at the location', 'none');
      await mustAllRun(t, [containerId]);
    },
  },
];
