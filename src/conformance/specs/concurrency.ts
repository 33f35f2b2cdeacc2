import { ContainerState } from '../../cri/gen/runtime/v1/api.js';
import { type Check, Violation } from '../check.js';
import { isRpcFailure, must, mustEqual, mustFail, mustWork, show } from '../expect.js';
import { linearize, type Model, type Operation } from '../linearize.js';
import { RUN_LABEL } from '../sweep.js';
import type { Trial } from '../trial.js';

const CALLERS = 8;

/** How many of the promises were kept, and with what. */
async function outcomes<T>(calls: readonly Promise<T>[]): Promise<{ kept: T[]; failed: unknown[] }> {
  const settled = await Promise.allSettled(calls);
  const kept = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  for (const reason of failed) if (!isRpcFailure(reason)) throw reason;
  return { kept, failed };
}

const many = <T>(call: () => Promise<T>): Promise<T>[] => Array.from({ length: CALLERS }, call);

type Action = 'start' | 'stop' | 'remove' | 'status';
type State = 'CREATED' | 'RUNNING' | 'EXITED' | 'gone';

/** The container's state machine, as cri-api has it; a refused operation leaves the state as it is. */
const lifecycle: Model<State, Action, string> = (state, action, output) => {
  if (action === 'status')
    return output === state || (output === 'refused' && state === 'gone') ? [state] : [];
  if (output === 'refused') {
    // Any runtime may refuse a start outside CREATED, and what collides with an operation under way.
    return action === 'start' && state === 'CREATED' ? [] : [state];
  }
  if (action === 'start') return state === 'CREATED' ? ['RUNNING'] : [];
  if (action === 'stop') return [state === 'RUNNING' ? 'EXITED' : state];
  return ['gone'];
};

const STATES: Readonly<Record<number, State>> = {
  [ContainerState.CONTAINER_CREATED]: 'CREATED',
  [ContainerState.CONTAINER_RUNNING]: 'RUNNING',
  [ContainerState.CONTAINER_EXITED]: 'EXITED',
};

async function perform(t: Trial, containerId: string, action: Action): Promise<string> {
  try {
    if (action === 'start') await t.cri.startContainer({ containerId });
    else if (action === 'stop') await t.cri.stopContainer({ containerId, timeout: 0n });
    else if (action === 'remove') await t.cri.removeContainer({ containerId });
    else return STATES[(await t.status(containerId)).state] ?? 'UNKNOWN';
    return 'OK';
  } catch (error) {
    if (!isRpcFailure(error)) throw error;
    return 'refused';
  }
}

/** A few operations at once on one container, and a look at it afterwards. */
async function concurrentHistory(t: Trial, actions: readonly Action[]): Promise<Operation<Action, string>[]> {
  const containerId = await t.create(await t.sandbox());
  const history: Operation<Action, string>[] = [];
  const record = async (client: number, input: Action) => {
    const calledAt = t.clock.elapsed();
    const output = await perform(t, containerId, input);
    history.push({ client, input, output, calledAt, returnedAt: t.clock.elapsed() });
  };
  await Promise.all(actions.map((action, client) => record(client, action)));
  await record(actions.length, 'status');
  return history;
}

const ACTIONS: readonly Action[] = ['start', 'stop', 'remove', 'start', 'stop', 'status'];
const ROUNDS = 10;

export const concurrencyChecks: readonly Check[] = [
  {
    id: 'INV-12.container',
    group: 'concurrency',
    tag: 'spec',
    rule: 'Of concurrent CreateContainer calls with one name and attempt, one container comes to be.',
    source: 'cri-api ContainerMetadata: (name, attempt) is unique within a sandbox',
    async run(t) {
      const sandbox = await t.sandbox();
      const name = t.name('ctr');
      const { kept } = await outcomes(many(() => t.create(sandbox, { name })));
      mustEqual(new Set(kept).size, 1, 'the number of different ids answered');
      const { containers } = await t.cri.listContainers({ filter: { podSandboxId: sandbox.id } as never });
      mustEqual(
        containers.map((container) => container.id),
        [kept[0]],
        'the containers of the sandbox',
      );
    },
  },
  {
    id: 'INV-12.sandbox',
    group: 'concurrency',
    tag: 'spec',
    rule: 'Of concurrent RunPodSandbox calls with one name, namespace, uid and attempt, one sandbox comes to be.',
    source: 'cri-api PodSandboxMetadata',
    async run(t) {
      const config = t.sandboxConfig();
      const { kept } = await outcomes(many(() => t.cri.runPodSandbox({ config, runtimeHandler: '' })));
      const ids = new Set(kept.map((reply) => reply.podSandboxId));
      for (const id of ids) t.track(id);
      mustEqual(ids.size, 1, 'the number of different ids answered');
      const { items } = await t.cri.listPodSandbox({ filter: undefined });
      const ours = items.filter((item) => item.metadata?.uid === config.metadata?.uid);
      mustEqual(
        ours.map((item) => item.id),
        [...ids],
        'the sandboxes with this uid',
      );
    },
  },
  {
    id: 'INV-12.held',
    group: 'concurrency',
    tag: 'spec',
    rule: 'A name stays taken until its owner is removed, after its end too.',
    source: 'cri-api ContainerMetadata, PodSandboxMetadata',
    async run(t) {
      const sandbox = await t.sandbox();
      const name = t.name('ctr');
      const first = await t.start(sandbox, { name });
      await t.cri.stopContainer({ containerId: first, timeout: 0n });
      // A runtime may also answer with the owner.
      const again = await t.create(sandbox, { name }).catch(() => first);
      mustEqual(again, first, 'the container that has the name of an EXITED one');
      await t.cri.stopPodSandbox({ podSandboxId: sandbox.id });
      const request = { config: sandbox.config, runtimeHandler: '' };
      const other = await t.cri.runPodSandbox(request).catch(() => ({ podSandboxId: sandbox.id }));
      t.track(other.podSandboxId);
      mustEqual(other.podSandboxId, sandbox.id, 'the sandbox that has the metadata of a stopped one');
    },
  },
  {
    id: 'INV-13.reuse',
    group: 'concurrency',
    tag: 'common',
    rule: 'A name is free again after its owner was removed, and the next owner gets a new id.',
    source: 'containerd registrar; CRI-O ReleaseContainerName',
    async run(t) {
      const sandbox = await t.sandbox();
      const name = t.name('ctr');
      const first = await t.start(sandbox, { name });
      await t.cri.stopContainer({ containerId: first, timeout: 0n });
      await t.cri.removeContainer({ containerId: first });
      const second = await mustWork(
        t.create(sandbox, { name }),
        'CreateContainer with the name of a removed container',
      );
      must(second !== first, 'a new id', second);
      await t.cri.stopPodSandbox({ podSandboxId: sandbox.id });
      await t.cri.removePodSandbox({ podSandboxId: sandbox.id });
      const again = t.cri.runPodSandbox({ config: sandbox.config, runtimeHandler: '' });
      const { podSandboxId } = await mustWork(again, 'RunPodSandbox with the metadata of a removed sandbox');
      t.track(podSandboxId);
      must(podSandboxId !== sandbox.id, 'a new id', podSandboxId);
    },
  },
  {
    id: 'INV-13.failed-create',
    group: 'concurrency',
    tag: 'common',
    rule: 'A failed CreateContainer leaves neither a container nor a reserved name.',
    source: 'containerd container_create.go: the name is released on failure',
    async run(t) {
      const sandbox = await t.sandbox();
      const name = t.name('ctr');
      await mustFail(
        t.create(sandbox, { name, image: { image: 'localhost/no-such-image:1' } as never }),
        'CreateContainer with an absent image',
      );
      const { containers } = await t.cri.listContainers({ filter: { podSandboxId: sandbox.id } as never });
      mustEqual(containers, [], 'the containers of the sandbox');
      await mustWork(t.create(sandbox, { name }), 'CreateContainer with the same name afterwards');
    },
  },
  {
    id: 'INV-14.ids',
    group: 'concurrency',
    tag: 'strict',
    rule: 'Ids are 64 hex digits, all different, and a unique prefix of one stands for it.',
    source: 'containerd util/id.go, truncindex',
    async run(t) {
      const sandbox = await t.sandbox();
      const ids = [sandbox.id, await t.create(sandbox), await t.create(sandbox)];
      for (const id of ids) must(/^[0-9a-f]{64}$/.test(id), '64 hex digits', id);
      mustEqual(new Set(ids).size, ids.length, 'the number of different ids');
      const containerId = ids[1] as string;
      mustEqual(
        (await t.status(containerId.slice(0, 20))).id,
        containerId,
        'the id found by a prefix of 20 digits',
      );
      mustEqual(
        (await t.sandboxStatus(sandbox.id.slice(0, 20))).id,
        sandbox.id,
        'the sandbox found by a prefix of 20 digits',
      );
    },
  },
  {
    id: 'INV-14.ambiguous',
    group: 'concurrency',
    tag: 'strict',
    rule: 'A prefix that fits several ids never picks one of them.',
    source: 'truncindex: Multiple IDs found with provided prefix',
    async run(t) {
      const sandbox = await t.sandbox();
      const ids: string[] = [];
      // Seventeen ids can't all begin with different hex digits.
      while (ids.length < 17) ids.push(await t.create(sandbox));
      const first = ids.map((id) => id.slice(0, 1));
      const prefix = first.find((digit, index) => first.indexOf(digit) !== index) as string;
      await mustFail(
        t.cri.containerStatus({ containerId: prefix, verbose: false }),
        `ContainerStatus of the ambiguous prefix ${prefix}`,
      );
      await mustBeOurs(t, prefix);
      await t.cri.removeContainer({ containerId: prefix }).catch(() => {});
      const { containers } = await t.cri.listContainers({ filter: { podSandboxId: sandbox.id } as never });
      mustEqual(
        containers.length,
        ids.length,
        'the number of containers after RemoveContainer of the prefix',
      );
    },
  },
  {
    id: 'INV-15.start',
    group: 'concurrency',
    tag: 'strict',
    rule: 'Of concurrent StartContainer calls, exactly one is OK.',
    source: 'the state machine: only CREATED can be started',
    async run(t) {
      const containerId = await t.create(await t.sandbox());
      const { kept } = await outcomes(many(() => t.cri.startContainer({ containerId })));
      mustEqual(kept.length, 1, 'the number of OK replies');
      mustEqual(
        (await t.status(containerId)).state,
        ContainerState.CONTAINER_RUNNING,
        'the state afterwards',
      );
    },
  },
  {
    id: 'INV-15.stop',
    group: 'concurrency',
    tag: 'strict',
    rule: 'Concurrent StopContainer calls are all OK.',
    source: 'cri-api StopContainer is idempotent',
    async run(t) {
      const containerId = await t.start(await t.sandbox());
      const { failed } = await outcomes(many(() => t.cri.stopContainer({ containerId, timeout: 0n })));
      must(failed.length === 0, 'every StopContainer to be OK', failed.map(String));
      mustEqual((await t.status(containerId)).state, ContainerState.CONTAINER_EXITED, 'the state afterwards');
    },
  },
  {
    id: 'INV-15.remove',
    group: 'concurrency',
    tag: 'strict',
    rule: 'Concurrent RemoveContainer calls are all OK.',
    source: 'cri-api RemoveContainer is idempotent',
    async run(t) {
      const containerId = await t.start(await t.sandbox());
      await t.cri.stopContainer({ containerId, timeout: 0n });
      const { failed } = await outcomes(many(() => t.cri.removeContainer({ containerId })));
      must(failed.length === 0, 'every RemoveContainer to be OK', failed.map(String));
    },
  },
  {
    id: 'INV-16.linearizable',
    group: 'concurrency',
    tag: 'strict',
    rule: 'The outcomes of concurrent operations on a container are those of some order of them.',
    source: 'Herlihy and Wing, linearizability; the state machine',
    needs: ['forced removal'],
    async run(t) {
      for (let round = 0; round < ROUNDS; round++) {
        const actions = ACTIONS.map(() => ACTIONS[Math.floor(t.random.next() * ACTIONS.length)] as Action);
        const history = await concurrentHistory(t, actions);
        if (linearize<State, Action, string>(history, 'CREATED', lifecycle) !== undefined) continue;
        const lines = history.map(
          ({ input, output, calledAt, returnedAt }) =>
            `${input} [${calledAt.toFixed(2)}, ${returnedAt.toFixed(2)}] -> ${output}`,
        );
        throw new Violation(
          'an order of these operations that explains every outcome',
          `none:\n${lines.join('\n')}`,
        );
      }
    },
  },
  {
    id: 'INV-16.stop-create',
    group: 'concurrency',
    tag: 'strict',
    rule: 'Whatever StopPodSandbox and CreateContainer at once come to, no container runs in the stopped sandbox and none leaks.',
    source: 'the state machine',
    async run(t) {
      for (let round = 0; round < ROUNDS; round++) {
        const sandbox = await t.sandbox();
        const podSandboxId = sandbox.id;
        const [created] = await Promise.allSettled([
          t.start(sandbox),
          t.cri.stopPodSandbox({ podSandboxId }),
        ]);
        const { containers } = await t.cri.listContainers({ filter: { podSandboxId } as never });
        must(
          containers.every((one) => one.state !== ContainerState.CONTAINER_RUNNING),
          'no RUNNING container in a stopped sandbox',
          containers,
        );
        if (created.status === 'fulfilled')
          mustEqual(containers.length, 1, 'the number of containers of the sandbox');
        await t.cri.removePodSandbox({ podSandboxId });
        const { containers: left } = await t.cri.listContainers({ filter: { podSandboxId } as never });
        mustEqual(left, [], 'the containers left after RemovePodSandbox');
      }
    },
  },
  {
    id: 'INV-17.cancelled',
    group: 'concurrency',
    tag: 'strict',
    rule: 'A call that its client cancels is either done or undone, and trying again works.',
    source: 'kubelet retries after its deadline',
    async run(t) {
      const sandbox = await t.sandbox();
      for (let round = 0; round < ROUNDS; round++) {
        const name = t.name('ctr');
        const config = t.containerConfig({ name });
        const request = { podSandboxId: sandbox.id, config, sandboxConfig: sandbox.config };
        // Mostly a few milliseconds, to meet quick runtimes too; sometimes more.
        const timeout = 1 + Math.floor(t.random.next() ** 3 * 80);
        const first = await t.cri.createContainer(request, { timeout }).catch(() => undefined);
        if (first !== undefined) continue;
        const named = async () => {
          const filter = { podSandboxId: sandbox.id };
          const { containers } = await t.cri.listContainers({ filter });
          return containers.filter((container) => container.metadata?.name === name);
        };
        const last = await settle(
          t,
          () => t.cri.createContainer(request),
          async () => (await named()).length > 0,
        );
        const what = `the number of containers called ${name} after a cancelled create and another try (${last})`;
        mustEqual((await named()).length, 1, what);
      }
    },
  },
];

/** What else has the prefix is not ours to put at risk. */
async function mustBeOurs(t: Trial, prefix: string): Promise<void> {
  const { containers } = await t.cri.listContainers({ filter: undefined });
  const others = containers.filter(({ id, labels }) => id.startsWith(prefix) && !(RUN_LABEL in labels));
  if (others.length > 0) t.skip(`a container that is not ours begins with ${prefix} as well`);
}

/** Tries again until that works, or what is taken shows that the cancelled call was done. */
async function settle(
  t: Trial,
  call: () => Promise<unknown>,
  isDone: () => Promise<boolean>,
): Promise<string> {
  let last = '';
  for (let tries = 0; tries < 50; tries++) {
    try {
      return `OK ${show(await call())}`;
    } catch (error) {
      if (!isRpcFailure(error)) throw error;
      last = error.details;
      if (await isDone()) break;
      await t.clock.sleep(20);
    }
  }
  return last;
}
