import {
  type ContainerEventResponse,
  ContainerEventType,
  ContainerState,
  PodSandboxState,
} from '../../cri/gen/runtime/v1/api.js';
import { eventNames } from '../../tape/world/shown.js';
import { removeSandbox } from '../conformance/cleanup.js';
import { rpcOf } from './catalog/index.js';
import { type CallResult, exchange, perform } from './exchange.js';
import { type Made, SequenceObjects } from './objects.js';
import { type Program, programs } from './programs.js';
import type { Side } from './side.js';
import type { PlannedCall, Sequence, Step } from './steps.js';
import { churn, type Rounds, type Subscriber, subscribe } from './subscribers.js';
import type { EventTrace, NormalOutcome, StatusTrace, StepTrace, Trace } from './trace.js';

/** In ms: the longest wait, and the interval of checks. */
const LONGEST = 5000;
const LOOK = 10;

const nameOf = (names: Readonly<Record<number, string>>, value: number, prefix: string): string =>
  names[value]?.replace(prefix, '') ?? String(value);

/** Time in ms for the last event of a pod. */
const LAST_EVENT = 400;

/** Plays a sequence on both runtimes, and removes its objects. `token` is new each time. */
export function playBoth(
  sides: readonly [Side, Side],
  sequence: Sequence,
  token: string,
): Promise<[Trace, Trace]> {
  const rounds = new Map(
    sequence.flatMap((step) => (step.times ? [[step, { most: step.times }] as const] : [])),
  );
  // The two names differ, because both endpoints can be the same.
  const play = (side: Side, which: string) => new Player(side, `${token}${which}`, rounds).play(sequence);
  return Promise.all([play(sides[0], 'a'), play(sides[1], 'b')]);
}

class Player {
  readonly #side: Side;
  readonly #objects: SequenceObjects;
  readonly #programs = new Map<string, Program>();
  #subscriber: Subscriber | undefined;

  readonly #rounds: ReadonlyMap<Step, Rounds>;

  constructor(side: Side, token: string, rounds: ReadonlyMap<Step, Rounds>) {
    this.#side = side;
    this.#rounds = rounds;
    this.#objects = new SequenceObjects(side, token);
  }

  async play(sequence: Sequence): Promise<Trace> {
    const steps: StepTrace[] = [];
    for (const step of sequence) {
      if (this.#side.signal.aborted) break;
      steps.push(await this.#step(step));
    }
    return { steps, ...(await this.#end()) };
  }

  async #step(step: Step): Promise<StepTrace> {
    const { calls } = step;
    const [first] = calls;
    if (first?.method === 'GetContainerEvents') {
      this.#subscriber = await subscribe(this.#side, first.form);
      return NOTHING;
    }
    const rounds = this.#rounds.get(step);
    if (first !== undefined && rounds !== undefined)
      return { outcomes: [await churn(this.#side, this.#objects, first, rounds)], observations: [] };
    const exchanges = await Promise.all(calls.map((call) => this.#call(call)));
    const changes = calls.some(({ method }) => rpcOf(method).changes);
    if (changes) await this.#settle(calls, exchanges);
    const outcomes = exchanges.map(({ outcome }) => outcome());
    return {
      outcomes: outcomes.length > 1 ? inOrder(outcomes) : outcomes,
      observations: changes ? await this.#observe() : [],
    };
  }

  async #call(call: PlannedCall): Promise<CallResult> {
    const { method, program = 'sleeps', container = '' } = call;
    const done = await perform(this.#side, this.#objects, call);
    if (method === 'CreateContainer' && done.reply !== undefined)
      this.#programs.set(container, programs[program]);
    return done;
  }

  async #settle(calls: readonly PlannedCall[], exchanges: readonly CallResult[]): Promise<void> {
    for (const [index, { method, container = '' }] of calls.entries()) {
      const settles = this.#programs.get(container)?.settles;
      if (method === 'StartContainer' && exchanges[index]?.reply !== undefined && settles !== undefined)
        await settle(this.#side, this.#objects.idOf(container), settles);
    }
  }

  #observe(): Promise<readonly StatusTrace[]> {
    return Promise.all(
      this.#objects.present.map(async ({ alias, id, isPod }) => {
        const method = isPod ? 'PodSandboxStatus' : 'ContainerStatus';
        const request = isPod ? { podSandboxId: id } : { containerId: id };
        const { outcome } = await exchange(this.#side, this.#objects, method, request);
        return { method, of: alias, outcome: outcome() };
      }),
    );
  }

  /** Removes everything, waits for the last events, and drops the sequence. */
  async #end(): Promise<Pick<Trace, 'events' | 'subscriber'>> {
    const { cri, events, timeout, signal } = this.#side;
    const { made } = this.#objects;
    const pods = made.filter(({ isPod }) => isPod).map(({ id }) => id);
    const subscriber = this.#subscriber;
    const isUnread = subscriber?.compare([]) === 'reads nothing';
    if (isUnread) subscriber?.close();
    // If this can't remove an object, the cleanup after the last sequence finds it by its label.
    await Promise.all(pods.map((id) => removeSandbox(cri, id, timeout)));
    if (!signal.aborted) await events.until(() => pods.every((id) => isDeleted(events.of(id))), LAST_EVENT);
    const ids = made.map(({ id }) => id);
    const trace = {
      events: subscriber === undefined ? traceEvents(this.#side, made) : undefined,
      subscriber: subscriber?.compare(ids),
    };
    subscriber?.close();
    for (const id of ids) events.forget(id);
    return trace;
  }
}

/** Waits until a started container is at rest: its program has ended, or its signal handler is set. */
async function settle(
  side: Side,
  containerId: string,
  settles: NonNullable<Program['settles']>,
): Promise<void> {
  const { clock, signal } = side;
  const deadline = clock.elapsed() + LONGEST;
  const isSettled = settles === 'exit' ? hasExited : isArmed;
  while (!signal.aborted && clock.elapsed() < deadline && !(await isSettled(side, containerId)))
    await clock.sleep(LOOK);
}

async function hasExited({ cri, timeout, signal }: Side, containerId: string): Promise<boolean> {
  const reply = await cri.containerStatus({ containerId }, { timeout, signal }).catch(() => undefined);
  return reply?.status?.state !== ContainerState.CONTAINER_RUNNING;
}

async function isArmed({ cri, timeout, signal }: Side, containerId: string): Promise<boolean> {
  const request = { containerId, cmd: ['test', '-e', '/armed'], timeout: 5n };
  const reply = await cri.execSync(request, { timeout, signal }).catch(() => undefined);
  return reply === undefined || reply.exitCode === 0;
}

/** The events of all objects of a sequence, by alias. A name that was used twice has the events of both objects. */
function traceEvents({ events }: Side, made: readonly Made[]): ReadonlyMap<string, readonly EventTrace[]> {
  const traces = new Map<string, EventTrace[]>();
  for (const { alias, id } of made)
    traces.set(alias, [...(traces.get(alias) ?? []), ...events.of(id).map((event) => traceOf(event, id))]);
  return traces;
}

function traceOf(event: ContainerEventResponse, id: string): EventTrace {
  const { containerEventType: type, podSandboxStatus: pod, containersStatuses } = event;
  const container = containersStatuses.find((status) => status.id === id);
  const state =
    container !== undefined
      ? nameOf(ContainerState, container.state, 'CONTAINER_')
      : pod?.id === id
        ? nameOf(PodSandboxState, pod.state, 'SANDBOX_')
        : 'absent';
  return {
    type: eventNames[type] ?? `type ${type}`,
    state,
    podState: pod === undefined ? 'absent' : nameOf(PodSandboxState, pod.state, 'SANDBOX_'),
  };
}

const NOTHING: StepTrace = { outcomes: [], observations: [] };

const isDeleted = (events: readonly { readonly containerEventType: ContainerEventType }[]): boolean =>
  events.some(({ containerEventType: type }) => type === ContainerEventType.CONTAINER_DELETED_EVENT);

/** Which of several concurrent calls succeeds depends on chance, so the successful ones come first. */
const inOrder = (outcomes: readonly NormalOutcome[]): readonly NormalOutcome[] =>
  outcomes
    .map((outcome) => [`${outcome.code === 'OK' ? 0 : 1} ${JSON.stringify(outcome)}`, outcome] as const)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, outcome]) => outcome);
