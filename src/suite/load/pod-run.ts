import { ContainerState, PodSandboxState } from '../../cri/gen/runtime/v1/api.js';
import { shortened } from '../../cri/shortened.js';
import { statesAfter } from '../conformance/linearize.js';
import { type CallResult, perform } from '../diff/exchange.js';
import { SequenceObjects } from '../diff/objects.js';
import { type Program, programs } from '../diff/programs.js';
import type { Side } from '../diff/side.js';
import { type PlannedCall, type Sequence, type Step, showCall } from '../diff/steps.js';
import { missingEvents } from './missing-events.js';
import { type Action, type ContainerIs, type Done, type PodState, podModel, unseen } from './pod-model.js';

export interface LoadSide {
  /** One for each client. */
  readonly sides: readonly Side[];
  /** Whether running containers and sandboxes can be removed. */
  readonly canForce: boolean;
  readonly hasEvents: boolean;
  /** Time for the last event of a pod, in ms. */
  readonly patience: number;
}

export interface Broken {
  /** `INV-16.linearizable` */
  readonly rule: string;
  readonly message: string;
  /** Index of the step in the plan; its length for later violations. */
  readonly step: number;
}

/** Codes that don't show whether the call had an effect. */
const OPEN_ENDED = new Set(['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'CANCELLED']);

/** Maximum length of an error's text in a report. */
const LONGEST_TEXT = 400;

/** Follows the plan. */
const REMOVAL: readonly Step[] = [
  { calls: [{ method: 'StopPodSandbox', form: '', pod: 'p1' }] },
  { calls: [{ method: 'RemovePodSandbox', form: '', pod: 'p1' }] },
];

/** The life of one pod: it follows its plan step by step, and checks each reply with the state machine. */
export class PodRun {
  readonly plan: Sequence;
  readonly broken: Broken[] = [];
  /** Result of its first call without a reply; undefined if all had one. */
  unanswered: string | undefined;
  /** Whether its state is unknown, so that later replies are not judged. */
  #isUnsure = false;
  readonly #load: LoadSide;
  readonly #objects: SequenceObjects;
  readonly #onBroken: (broken: Broken) => void;
  readonly #started = new Set<string>();
  readonly #ends = new Set<string>();
  #steps: readonly Step[];
  #at = 0;
  #states: readonly PodState[] = [{ sandbox: 'gone', containers: {} }];

  /** `token` is part of all names. `onMade` gets each id that a call returns. */
  constructor(
    load: LoadSide,
    plan: Sequence,
    token: string,
    on: { readonly made: (id: string) => void; readonly broken: (broken: Broken) => void },
  ) {
    this.#load = load;
    this.plan = plan;
    this.#steps = [...plan, ...REMOVAL];
    this.#objects = new SequenceObjects(load.sides[0] as Side, token, on.made);
    this.#onBroken = on.broken;
  }

  /** Whether everything but `end` is done. */
  get isOver(): boolean {
    return this.#at >= this.#steps.length;
  }

  get isNew(): boolean {
    return this.#at === 0;
  }

  /** Skips the rest of the plan. */
  hurry(): void {
    if (this.#at < this.plan.length) this.#steps = [...this.plan.slice(0, this.#at), ...REMOVAL];
  }

  /** Makes the calls of the next step, the first by this client and the others by the next ones. */
  async step(client: number): Promise<void> {
    const step = this.#steps[this.#at] as Step;
    const results = await Promise.all(step.calls.map((call, index) => this.#call(call, client + index)));
    const done = step.calls.flatMap((call, index) => this.#done(call, results[index] as CallResult));
    this.#judge(done);
    this.#at++;
  }

  /** Looks for remains of the pod, and waits for its last events. */
  async end(client: number): Promise<void> {
    if (!this.#isUnsure) await this.#looksGone(client);
    const { made } = this.#objects;
    const { sides, hasEvents, patience } = this.#load;
    const { events, signal } = sides[0] as Side;
    const started = (alias: string) => this.#started.has(alias);
    if (hasEvents && this.unanswered === undefined && !signal.aborted)
      for (const missing of await missingEvents(events, made, started, patience))
        if (!signal.aborted) this.note(missing.rule, missing.message);
    for (const { id } of made) events.forget(id);
  }

  async #call(call: PlannedCall, client: number): Promise<CallResult> {
    const { method, container = '', program = 'sleeps' } = call;
    const side = this.#load.sides[client % this.#load.sides.length] as Side;
    const result = await perform(side, this.#objects, call);
    const { settles }: Program = programs[program];
    if (method === 'CreateContainer' && result.reply !== undefined && settles === 'exit')
      this.#ends.add(container);
    if (method === 'StartContainer' && result.reply !== undefined) this.#started.add(container);
    return result;
  }

  /** A call's actions and results for the state machine; none for a call without a state. */
  #done(call: PlannedCall, { reply, outcome }: CallResult): Done[] {
    const actions = actionsOf(
      call,
      this.#objects.present.filter(({ isPod }) => !isPod).map(({ alias }) => alias),
    );
    if (actions.length === 0) return [];
    const failure = reply === undefined ? outcome() : undefined;
    if (failure !== undefined && OPEN_ENDED.has(failure.code)) {
      this.unanswered ??= `${showCall(call)}: ${showFailure(failure)}`;
      this.#isUnsure = true;
    }
    return actions.map((action) => ({
      action,
      result: this.#resultOf(action, call, reply, failure?.code),
      ...(failure && { failure: showFailure(failure) }),
    }));
  }

  #resultOf(
    action: Action,
    { method }: PlannedCall,
    reply: object | undefined,
    code: string | undefined,
  ): Done['result'] {
    if (!action.kind.startsWith('look')) return reply === undefined ? 'refused' : 'OK';
    if (code !== undefined) return code === 'NOT_FOUND' ? 'gone' : 'refused';
    const alias = 'container' in action ? action.container : 'p1';
    const id = this.#objects.idOf(alias);
    const { status, containers, items } = (reply ?? {}) as Look;
    const seen = method.startsWith('List') ? [...(containers ?? []), ...(items ?? [])] : [status];
    const state = seen.find((one) => one?.id === id)?.state;
    if (state === undefined) return 'gone';
    return 'container' in action
      ? (CONTAINER_STATES[state] ?? 'gone')
      : state === PodSandboxState.SANDBOX_READY
        ? 'READY'
        : 'NOTREADY';
  }

  #judge(done: readonly Done[]): void {
    if (this.#isUnsure || done.length === 0) return;
    const together = done.map(({ action }) => action);
    const rules = { ends: this.#ends, canForce: this.#load.canForce };
    const history = done.map(({ action, result }, client) => ({
      client,
      input: action,
      output: result,
      calledAt: 0,
      returnedAt: 1,
    }));
    const after = statesAfter(history, this.#states, podModel(together, rules));
    if (after.length === 0) {
      const calls = done.map(showDone).join(', ');
      const before = this.#states.map(showState).join('; or ');
      this.note('INV-16.linearizable', `no order explains ${calls}; before: ${before}`);
      this.#isUnsure = true;
      return;
    }
    const all = after.flatMap((state) => unseen(state, together, rules));
    this.#states = [...new Map(all.map((state) => [JSON.stringify(state), state])).values()];
  }

  /** A removed pod must be gone from all replies. */
  async #looksGone(client: number): Promise<void> {
    const containers = this.#objects.present.filter(({ isPod }) => !isPod);
    const looks: PlannedCall[] = [
      { method: 'PodSandboxStatus', form: '', pod: 'p1' },
      { method: 'ListContainers', form: 'by pod', pod: 'p1' },
      ...containers.map(({ alias }) => ({
        method: 'ContainerStatus',
        form: '',
        pod: 'p1',
        container: alias,
      })),
    ];
    for (const look of looks) {
      const seen = this.#done(look, await this.#call(look, client));
      if (this.#isUnsure) return;
      for (const { action, result } of seen)
        if (result !== 'gone')
          this.note(
            'container' in action ? 'INV-06.removes-containers' : 'INV-01.lifecycle',
            `${showCall(look)} still shows ${'container' in action ? action.container : 'p1'} as ${result} after RemovePodSandbox`,
          );
    }
  }

  note(rule: string, message: string): void {
    if (this.broken.some((one) => one.rule === rule)) return;
    const broken = { rule, message, step: Math.min(this.#at, this.plan.length) };
    this.broken.push(broken);
    this.#onBroken(broken);
  }
}

interface Look {
  readonly status?: Seen;
  readonly containers?: readonly Seen[];
  readonly items?: readonly Seen[];
}
interface Seen {
  readonly id: string;
  readonly state: number;
}

const CONTAINER_STATES: Readonly<Record<number, ContainerIs>> = {
  [ContainerState.CONTAINER_CREATED]: 'CREATED',
  [ContainerState.CONTAINER_RUNNING]: 'RUNNING',
  [ContainerState.CONTAINER_EXITED]: 'EXITED',
};

const KINDS: Readonly<Record<string, Action['kind']>> = {
  RunPodSandbox: 'run',
  StopPodSandbox: 'stop pod',
  RemovePodSandbox: 'remove pod',
  PodSandboxStatus: 'look at pod',
  ListPodSandbox: 'look at pod',
  CreateContainer: 'create',
  StartContainer: 'start',
  StopContainer: 'stop',
  RemoveContainer: 'remove',
  ContainerStatus: 'look',
};

/** A list shows each object at some time during the call, so each object is a separate action. */
function actionsOf({ method, container }: PlannedCall, containers: readonly string[]): Action[] {
  if (method === 'ListContainers')
    return containers.map((alias) => ({ kind: 'look' as const, container: alias }));
  const kind = KINDS[method];
  return kind === undefined ? [] : [(container === undefined ? { kind } : { kind, container }) as Action];
}

const showFailure = (failure: { readonly code: string; readonly details?: string }): string =>
  `${failure.code}: ${shortened(failure.details ?? '', LONGEST_TEXT)}`;

const showDone = ({ action, result, failure }: Done): string => `${showAction(action)}: ${failure ?? result}`;

const showAction = (action: Action): string =>
  'container' in action ? `${action.kind} ${action.container}` : action.kind;

const showState = ({ sandbox, containers }: PodState): string =>
  [`p1 ${sandbox}`, ...Object.entries(containers).map(([name, is]) => `${name} ${is}`)].join(', ');
