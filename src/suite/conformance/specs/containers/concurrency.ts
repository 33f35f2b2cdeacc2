import { pick } from '../../../../base/random/random.js';
import { ContainerState } from '../../../../cri/gen/runtime/v1/api.js';
import type { Checks } from '../../check.js';
import type { CheckContext } from '../../check-context.js';
import { isRpcFailure, must, mustEqual } from '../../expect.js';
import { linearize, type Model, type Operation } from '../../linearize.js';
import { Violation } from '../../violation.js';
import { many, outcomes } from '../steps/at-once.js';

type Action = 'start' | 'stop' | 'remove' | 'status';
type State = 'CREATED' | 'RUNNING' | 'EXITED' | 'gone';

/** The container's state machine as in cri-api. A rejected operation does not change the state. */
const lifecycle: Model<State, Action, string> = (state, action, output) => {
  if (action === 'status')
    return output === state || (output === 'rejected' && state === 'gone') ? [state] : [];
  if (output === 'rejected') {
    // A runtime may reject a start outside of CREATED, and any operation that collides with another one.
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

async function perform(t: CheckContext, containerId: string, action: Action): Promise<string> {
  try {
    if (action === 'start') await t.cri.startContainer({ containerId });
    else if (action === 'stop') await t.cri.stopContainer({ containerId, timeout: 0n });
    else if (action === 'remove') await t.cri.removeContainer({ containerId });
    else return STATES[(await t.status(containerId)).state] ?? 'UNKNOWN';
    return 'OK';
  } catch (error) {
    if (!isRpcFailure(error)) throw error;
    return 'rejected';
  }
}

async function concurrentHistory(
  t: CheckContext,
  actions: readonly Action[],
): Promise<Operation<Action, string>[]> {
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

export const concurrencyChecks: Checks = {
  async 'INV-15.start'(t) {
    const containerId = await t.create(await t.sandbox());
    const { kept } = await outcomes(many(() => t.cri.startContainer({ containerId })));
    mustEqual(kept.length, 1, 'the number of OK replies');
    mustEqual((await t.status(containerId)).state, ContainerState.CONTAINER_RUNNING, 'the state afterwards');
  },
  async 'INV-15.stop'(t) {
    const containerId = await t.start(await t.sandbox());
    const { failed } = await outcomes(many(() => t.cri.stopContainer({ containerId, timeout: 0n })));
    must(failed.length === 0, 'every StopContainer to be OK', failed.map(String));
    mustEqual((await t.status(containerId)).state, ContainerState.CONTAINER_EXITED, 'the state afterwards');
  },
  async 'INV-15.remove'(t) {
    const containerId = await t.start(await t.sandbox());
    await t.cri.stopContainer({ containerId, timeout: 0n });
    const { failed } = await outcomes(many(() => t.cri.removeContainer({ containerId })));
    must(failed.length === 0, 'every RemoveContainer to be OK', failed.map(String));
  },
  async 'INV-16.linearizable'(t) {
    for (let round = 0; round < ROUNDS; round++) {
      const actions = ACTIONS.map(() => pick(t.random, ACTIONS) as Action);
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
  async 'INV-16.stop-create'(t) {
    for (let round = 0; round < ROUNDS; round++) {
      const sandbox = await t.sandbox();
      const podSandboxId = sandbox.id;
      const [created] = await Promise.allSettled([t.start(sandbox), t.cri.stopPodSandbox({ podSandboxId })]);
      const containers = await t.containersOf(podSandboxId);
      must(
        containers.every((one) => one.state !== ContainerState.CONTAINER_RUNNING),
        'no RUNNING container in a stopped sandbox',
        containers,
      );
      if (created.status === 'fulfilled')
        mustEqual(containers.length, 1, 'the number of containers of the sandbox');
      await t.cri.removePodSandbox({ podSandboxId });
      const left = await t.containersOf(podSandboxId);
      mustEqual(left, [], 'the containers left after RemovePodSandbox');
    }
  },
};
