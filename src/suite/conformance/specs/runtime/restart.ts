import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ContainerState, type Image, PodSandboxState } from '../../../../cri/gen/runtime/v1/api.js';
import type { Checks } from '../../check.js';
import type { CheckContext } from '../../check-context.js';
import { isRpcFailure, must, mustEqual, mustWork } from '../../expect.js';
import { Violation } from '../../violation.js';
import { restart } from '../steps/restart.js';
import { isOf } from '../steps/whole-life.js';

/** The parts of an image that must survive a restart of the runtime. */
const lasting = ({ id, repoTags, repoDigests, size, pinned, username, uid }: Image) => ({
  id,
  repoTags: [...repoTags].sort(),
  repoDigests: [...repoDigests].sort(),
  ...{ size, pinned, username, uid },
});

const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1);

const imagesOf = async ({ cri }: CheckContext) => (await cri.listImages({})).images.map(lasting).sort(byId);

function logged(path: string): number[] {
  if (!existsSync(path)) return [];
  return [...readFileSync(path, 'utf8').matchAll(/ F n(\d+)$/gm)].map(([, number]) => Number(number));
}

export const restartChecks: Checks = {
  async 'INV-63.states'(t) {
    const [ready, stopped] = [await t.sandbox(), await t.sandbox()];
    const created = await t.create(ready);
    const running = await t.start(ready);
    const exited = await t.exited(await t.script(ready, 'exit 7'));
    const below = await t.start(stopped);
    await t.cri.stopPodSandbox({ podSandboxId: stopped.id });
    const containers = [created, running, exited.id, below];
    const look = async () => [
      await Promise.all([ready, stopped].map(({ id }) => t.sandboxStatus(id))),
      await Promise.all(containers.map((id) => t.status(id))),
    ];
    const before = await look();
    await restart(t);
    const after = await look();
    mustEqual(after, before, 'the statuses after the restart');
    mustEqual(
      (await t.sandboxStatus(ready.id)).state,
      PodSandboxState.SANDBOX_READY,
      'the state of the READY one',
    );
  },
  async 'INV-63.ended-meanwhile'(t) {
    const containerId = await t.script(await t.sandbox(), 'sleep 0.3; exit 9');
    await restart(t);
    const status = await t.exited(containerId);
    mustEqual([status.exitCode, status.reason], [9, 'Error'], 'exit code and reason');
    must(status.finishedAt >= status.startedAt, 'finished_at after started_at', status);
  },
  async 'INV-63.images'(t) {
    const containerId = await t.start(await t.sandbox());
    const refOf = async () => {
      const { imageRef, imageId, image } = await t.status(containerId);
      return { imageRef, imageId, image };
    };
    const [before, ref] = [await imagesOf(t), await refOf()];
    await restart(t);
    mustEqual(await imagesOf(t), before, 'the images after the restart');
    mustEqual(await refOf(), ref, 'image, image_ref and image_id of a container after the restart');
  },
  async 'INV-63.logs'(t) {
    const sandbox = await t.sandbox();
    const config = { name: t.name('ctr'), logPath: 'counts.log' };
    await t.script(sandbox, 'i=0; while true; do echo n$i; i=$((i+1)); sleep 0.02; done', config);
    const path = join(sandbox.config.logDirectory, config.logPath);
    const counts = async () => logged(path);
    const { length } = await t.eventually(counts, (lines) => lines.length > 3, 'lines in the log');
    await restart(t);
    const lines = await t.eventually(counts, (all) => all.length > length + 20, 'more lines in the log');
    mustEqual(
      lines,
      Array.from({ length: lines.length }, (_, index) => index),
      'the logged numbers',
    );
  },
  async 'INV-63.events'(t) {
    const before = await t.recordEvents();
    const containerId = await t.start(await t.sandbox());
    await restart(t);
    await t.eventually(
      async () => before.hasEnded,
      (hasEnded) => hasEnded,
      'the event stream of before the restart to end',
    );
    const after = await t.recordEvents();
    await t.cri.stopContainer({ containerId, timeout: 0n });
    await after.waitFor(
      isOf(containerId, 'STOPPED'),
      'STOPPED of a container of before the restart',
      t.patience,
    );
  },
  async 'INV-63.under-way'(t) {
    const sandbox = await t.sandbox();
    const containerId = await t.trapping(sandbox, 'trap "" TERM');
    const stop = t.cri.stopContainer({ containerId, timeout: 3n }).catch((error: unknown) => {
      if (!isRpcFailure(error)) throw error;
    });
    await t.clock.sleep(100);
    await restart(t);
    const late = t.clock.sleep(t.patience).then(() => {
      throw new Violation('StopContainer to end with the runtime', `it has not within ${t.patience} ms`);
    });
    await Promise.race([stop, late]);
    late.catch(() => {});
    await mustWork(t.cri.stopContainer({ containerId, timeout: 0n }), 'StopContainer after the restart');
    mustEqual((await t.status(containerId)).state, ContainerState.CONTAINER_EXITED, 'the state afterwards');
    await mustWork(t.cri.removeContainer({ containerId }), 'RemoveContainer after the restart');
    await t.start(sandbox);
  },
  async 'INV-63.exec'(t) {
    const containerId = await t.trapping(await t.sandbox(), 'trap "exit 23" TERM');
    await restart(t);
    const { exitCode } = await mustWork(
      t.cri.execSync({ containerId, cmd: ['sh', '-c', 'exit 4'], timeout: 20n }),
      'ExecSync after the restart',
    );
    mustEqual(exitCode, 4, 'the exit code of the command');
    await t.cri.stopContainer({ containerId, timeout: 10n });
    mustEqual((await t.status(containerId)).exitCode, 23, 'the exit code of the container');
  },
};
