import { existsSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { CallOptions } from '../../../../cri/client/client.js';
import { ContainerState, PodSandboxState } from '../../../../cri/gen/runtime/v1/api.js';
import type { Check, Checks } from '../../check.js';
import type { CheckContext, Sandbox } from '../../check-context.js';
import { isRpcFailure, must, mustEqual, mustFail, mustWork, show } from '../../expect.js';
import { findImage, secondImage, spec } from '../steps/second-image.js';

/** When to cancel a call that takes `took` ms: early, for fast runtimes, and in the middle. */
const times = (took: number): readonly number[] => [2, 10, took * 0.3, took * 0.7];

/** For a call whose time is not known, in ms. */
const SHORT = 60;

/** A call, its retry, and the conditions after a successful retry or after the end of the cancelled call. */
interface Trial {
  call(options: CallOptions): Promise<unknown>;
  /** Default: the same call. */
  readonly retry?: () => Promise<unknown>;
  /** Whether the cancelled call has taken effect after all, so that its retry may fail. */
  readonly isDone?: () => Promise<boolean>;
  verify(): Promise<void>;
}

/** Only a cancellation ends this call soon, so it is not measured first. */
const LONG = 'StopContainer';

/** Cancels a call after some ms: by a deadline, or like a client that disconnects. */
async function cancelled(t: CheckContext, { call }: Trial, after: number, round: number): Promise<void> {
  const gone = new AbortController();
  const timer = t.clock.setTimer(after, () => gone.abort());
  await call(round % 2 === 0 ? { timeout: after } : { signal: gone.signal }).catch(onlyFailures);
  timer.cancel();
}

function onlyFailures(error: unknown): void {
  if (!isRpcFailure(error)) throw error;
}

/** Retries until the call succeeds, or until the cancelled call has taken effect: on a busy disk that takes seconds. */
async function settle(t: CheckContext, rpc: string, { call, retry, isDone }: Trial): Promise<void> {
  const end = t.clock.elapsed() + t.patience;
  for (;;) {
    try {
      await (retry?.() ?? call({ timeout: t.patience }));
      return;
    } catch (error) {
      onlyFailures(error);
      if (await isDone?.()) return;
      const isLate = t.clock.elapsed() > end;
      must(
        !isLate,
        `a retry of ${rpc} to be OK within ${t.patience} ms after its cancellation`,
        String(error),
      );
      await t.clock.sleep(20);
    }
  }
}

const whenCancelled =
  (rpc: string, make: (t: CheckContext) => Promise<Trial>): Check['run'] =>
  async (t) => {
    let took = SHORT;
    if (rpc !== LONG) {
      const whole = await make(t);
      const begun = t.clock.elapsed();
      await mustWork(whole.call({}), rpc);
      took = t.clock.elapsed() - begun;
      await whole.verify();
    }
    for (const [round, after] of times(took).entries()) {
      const trial = await make(t);
      await cancelled(t, trial, Math.max(1, Math.round(after)), round);
      await settle(t, rpc, trial);
      await trial.verify();
    }
  };

/** Creates a container in its own pod. */
async function containerIn(t: CheckContext) {
  const sandbox = await t.sandbox();
  const name = t.name('ctr');
  return { sandbox, name, containerId: await t.create(sandbox, { name }) };
}

const mustBe = async (t: CheckContext, containerId: string, state: ContainerState): Promise<void> =>
  mustEqual((await t.status(containerId)).state, state, `the state of ${containerId}`);

/** Expects a stop to end a container, and its removal to free its name. */
async function mustEnd(t: CheckContext, sandbox: Sandbox, containerId: string, name: string): Promise<void> {
  const limit = { timeout: t.patience };
  await mustWork(t.cri.stopContainer({ containerId, timeout: 0n }, limit), 'StopContainer afterwards');
  const { containers } = await t.cri.listContainers({ filter: { id: containerId } });
  must(
    containers.every(({ state }) => state !== ContainerState.CONTAINER_RUNNING),
    'no RUNNING container after StopContainer',
    containers,
  );
  await mustWork(t.cri.removeContainer({ containerId }, limit), 'RemoveContainer afterwards');
  await mustWork(t.create(sandbox, { name }), 'CreateContainer with its name afterwards');
}

const LIMITS = [64n, 128n].map((mebibytes) => ({ memoryLimitInBytes: mebibytes * 1024n * 1024n }));

const RPCS: Readonly<Record<string, (t: CheckContext) => Promise<Trial>>> = {
  async RunPodSandbox(t) {
    const config = t.sandboxConfig();
    const ours = async () => {
      const { items } = await t.cri.listPodSandbox({});
      const made = items.filter(({ metadata }) => metadata?.uid === config.metadata?.uid);
      for (const { id } of made) t.track(id);
      return made;
    };
    const isReady = ({ state }: { readonly state: PodSandboxState }) =>
      state === PodSandboxState.SANDBOX_READY;
    return {
      call: (options) => t.cri.runPodSandbox({ config, runtimeHandler: '' }, options),
      isDone: async () => (await ours()).some(isReady),
      verify: async () => {
        const made = await ours();
        must(made.length === 1 && made.every(isReady), 'one sandbox, READY', made);
      },
    };
  },
  async CreateContainer(t) {
    const sandbox = await t.sandbox();
    const name = t.name('ctr');
    const request = {
      podSandboxId: sandbox.id,
      config: t.containerConfig({ name }),
      sandboxConfig: sandbox.config,
    };
    return {
      call: (options) => t.cri.createContainer(request, options),
      isDone: async () => (await t.containersOf(sandbox.id)).length > 0,
      verify: async () => {
        const { length } = await t.containersOf(sandbox.id);
        mustEqual(length, 1, `the number of containers called ${name}`);
      },
    };
  },
  async StartContainer(t) {
    const { sandbox, name, containerId } = await containerIn(t);
    const isOver = async () => {
      const { containers } = await t.cri.listContainers({ filter: { id: containerId } });
      return containers.every(({ state }) => state !== ContainerState.CONTAINER_CREATED);
    };
    return {
      call: (options) => t.cri.startContainer({ containerId }, options),
      isDone: isOver,
      verify: async () => {
        must(await isOver(), 'a container that is no longer CREATED', 'CREATED');
        await mustEnd(t, sandbox, containerId, name);
      },
    };
  },
  async StopContainer(t) {
    const sandbox = await t.sandbox();
    const containerId = await t.trapping(sandbox, 'trap "" TERM');
    const stop = (timeout: bigint, options: CallOptions) =>
      t.cri.stopContainer({ containerId, timeout }, options);
    return {
      // Repeats the stop like a kubelet, which retries during the grace period.
      call: async (options) => {
        await stop(60n, { timeout: SHORT }).catch(onlyFailures);
        await stop(60n, options);
      },
      retry: () => stop(0n, { timeout: t.patience }),
      isDone: async () => (await t.status(containerId)).state === ContainerState.CONTAINER_EXITED,
      verify: async () => {
        await mustBe(t, containerId, ContainerState.CONTAINER_EXITED);
        await mustWork(t.cri.removeContainer({ containerId }), 'RemoveContainer afterwards');
      },
    };
  },
  async RemoveContainer(t) {
    const { sandbox, name, containerId } = await containerIn(t);
    await t.cri.startContainer({ containerId });
    await t.cri.stopContainer({ containerId, timeout: 0n });
    return {
      call: (options) => t.cri.removeContainer({ containerId }, options),
      verify: async () => {
        await mustFail(t.cri.containerStatus({ containerId }), 'ContainerStatus of a removed container');
        mustEqual(await t.containersOf(sandbox.id), [], 'the containers of the sandbox');
        await mustWork(t.create(sandbox, { name }), 'CreateContainer with its name afterwards');
      },
    };
  },
  async StopPodSandbox(t) {
    const { sandbox, containerId } = await containerIn(t);
    await t.cri.startContainer({ containerId });
    const podSandboxId = sandbox.id;
    return {
      call: (options) => t.cri.stopPodSandbox({ podSandboxId }, options),
      verify: async () => {
        const { state } = await t.sandboxStatus(podSandboxId);
        mustEqual(state, PodSandboxState.SANDBOX_NOTREADY, 'the state of the sandbox');
        await mustBe(t, containerId, ContainerState.CONTAINER_EXITED);
      },
    };
  },
  async RemovePodSandbox(t) {
    const { sandbox, containerId } = await containerIn(t);
    await t.cri.startContainer({ containerId });
    const podSandboxId = sandbox.id;
    await t.cri.stopPodSandbox({ podSandboxId });
    return {
      call: (options) => t.cri.removePodSandbox({ podSandboxId }, options),
      verify: async () => {
        await mustFail(t.cri.podSandboxStatus({ podSandboxId }), 'PodSandboxStatus of a removed sandbox');
        await mustFail(t.cri.containerStatus({ containerId }), 'ContainerStatus of a removed container');
        const again = t.cri.runPodSandbox({ config: sandbox.config, runtimeHandler: '' });
        t.track((await mustWork(again, 'RunPodSandbox with its metadata afterwards')).podSandboxId);
      },
    };
  },
  async UpdateContainerResources(t) {
    const [before, after] = LIMITS;
    const containerId = await t.start(await t.sandbox(), { linux: { resources: before } });
    const limit = async () => (await t.status(containerId)).resources?.linux?.memoryLimitInBytes;
    const known = LIMITS.map(({ memoryLimitInBytes }) => memoryLimitInBytes);
    return {
      call: (options) => t.cri.updateContainerResources({ containerId, linux: after }, options),
      retry: async () => {
        const shown = await limit();
        must(shown !== undefined && known.includes(shown), 'the old limit or the new one', show(shown));
        await t.cri.updateContainerResources({ containerId, linux: after }, { timeout: t.patience });
      },
      verify: async () => {
        mustEqual(await limit(), after?.memoryLimitInBytes, 'the limit in the status');
        await mustBe(t, containerId, ContainerState.CONTAINER_RUNNING);
      },
    };
  },
  async UpdatePodSandboxResources(t) {
    const { sandbox, containerId } = await containerIn(t);
    await t.cri.startContainer({ containerId });
    const request = { podSandboxId: sandbox.id, resources: LIMITS[1] };
    return {
      call: (options) => t.cri.updatePodSandboxResources(request, options),
      verify: async () => {
        const { state } = await t.sandboxStatus(sandbox.id);
        mustEqual(state, PodSandboxState.SANDBOX_READY, 'the state of the sandbox');
        await mustBe(t, containerId, ContainerState.CONTAINER_RUNNING);
      },
    };
  },
  async ReopenContainerLog(t) {
    const sandbox = await t.sandbox();
    const config = { logPath: 'app.log' };
    const containerId = await t.script(sandbox, 'while true; do echo line; sleep 0.01; done', config);
    const path = join(sandbox.config.logDirectory, config.logPath);
    const size = async () => (existsSync(path) ? statSync(path).size : 0);
    await t.eventually(size, (bytes) => bytes > 0, 'a log');
    renameSync(path, `${path}.old`);
    return {
      call: (options) => t.cri.reopenContainerLog({ containerId }, options),
      verify: async () => {
        await t.eventually(size, (bytes) => bytes > 0, 'lines in the new log');
        await t.cri.stopContainer({ containerId, timeout: 0n });
      },
    };
  },
  async PullImage(t) {
    const { reference } = await secondImage(t);
    const image = spec(reference);
    await t.cri.removeImage({ image });
    return {
      call: (options) => t.cri.pullImage({ image }, options),
      verify: async () => {
        const pulled = await findImage(t, reference);
        must(pulled !== undefined && pulled.size > 0n, 'the image with its size', pulled ?? 'none');
        await mustWork(t.create(await t.sandbox(), { image }), 'CreateContainer with the image');
        await t.cri.removeImage({ image }).catch(onlyFailures);
      },
    };
  },
  async RemoveImage(t) {
    const { reference } = await secondImage(t);
    const image = spec(reference);
    return {
      call: (options) => t.cri.removeImage({ image }, options),
      verify: async () => {
        mustEqual(await findImage(t, reference), undefined, 'ImageStatus afterwards');
        await mustWork(t.cri.pullImage({ image }), 'PullImage afterwards');
        await t.cri.removeImage({ image });
      },
    };
  },
  async CheckpointContainer(t) {
    const containerId = await t.start(await t.sandbox());
    const request = () => ({
      ...{ containerId, timeout: 0n },
      location: join(t.emptyDirectory('checkpoint'), 'checkpoint.tar'),
    });
    return {
      call: (options) => t.cri.checkpointContainer(request(), options),
      verify: () => mustBe(t, containerId, ContainerState.CONTAINER_RUNNING),
    };
  },
  async CheckpointPod(t) {
    const { sandbox, containerId } = await containerIn(t);
    await t.cri.startContainer({ containerId });
    const request = () => ({
      ...{ podSandboxId: sandbox.id, containerIds: [containerId], options: {} },
      outputPath: t.emptyDirectory('checkpoint'),
    });
    return {
      call: (options) =>
        t.cri.checkpointPod(request(), { ...options, timeout: options.timeout ?? t.patience }),
      verify: () => mustBe(t, containerId, ContainerState.CONTAINER_RUNNING),
    };
  },
};

/** The checks of images run one after the other, in their group: they remove the image that other checks pull. */
export const cancelledChecks: Checks = Object.fromEntries(
  Object.entries(RPCS).map(([rpc, make]) => [`INV-17.${rpc}`, whenCancelled(rpc, make)]),
);
