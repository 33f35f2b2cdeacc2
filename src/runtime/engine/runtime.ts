import type { Clock } from '../../base/clock/clock.js';
import { type Accounts, openAccounts } from '../../base/input/account.js';
import { CriError, unsupported } from '../../cri/errors.js';
import type { Call, CriService } from '../../cri/service.js';
import type { Backend, BackendCondition, InjectedExit } from './backend.js';
import { checkpointService } from './checkpoint/checkpoint.js';
import { type Engine, uncancelled } from './engine.js';
import { createEventBus, type EventStats } from './events/event-bus.js';
import { defaultEventOptions, type EventOptions } from './events/event-options.js';
import { createAnnouncer } from './events/events.js';
import { createLifecycleWatchers, type LifecycleWatchers } from './events/lifecycle.js';
import {
  type FoundObject,
  findObject,
  type RuntimeSnapshot,
  runningSubjects,
  takeSnapshot,
} from './introspection.js';
import { createHost } from './lifecycle/host.js';
import { createPodQueue } from './lifecycle/pod-queue.js';
import { recover } from './lifecycle/recovery.js';
import { removeSandbox } from './lifecycle/sandbox.js';
import { createTransitions, type TransitionRules } from './lifecycle/transitions.js';
import { randomId } from './random-id.js';
import { containerService } from './rpc/container.js';
import { execService } from './rpc/exec.js';
import { imageService } from './rpc/images.js';
import { metricsService } from './rpc/metrics.js';
import { runtimeConfigService } from './rpc/runtime-config.js';
import { sandboxService } from './rpc/sandbox.js';
import { statsService } from './rpc/stats.js';
import { createStreamingHandler } from './rpc/streaming-handler.js';
import { STREAM_ITEMS, streamService } from './rpc/streams.js';
import { type EngineRules, strictRules } from './rules.js';
import { type ConditionType, createConditions } from './state/conditions.js';
import { NameRegistry } from './state/names.js';
import { createStore, type StateCounts } from './state/store.js';
import { createTimestamps } from './state/timestamps.js';
import type { StreamingHandler, StreamingServer } from './streaming.js';

type Serve = (request: unknown, call: Call) => unknown;

/** Only backend and clock are required. */
export interface RuntimeOptions {
  readonly backend: Backend;
  readonly clock: Clock;
  /** Memory limits of the node. Default: its own accounts. */
  readonly accounts?: Accounts | undefined;
  /** Default `cri`. */
  readonly transitions?: TransitionRules;
  /** Default `strictRules`. */
  readonly rules?: EngineRules | undefined;
  /** Default: a subscriber 1,000 events behind is disconnected; nothing is replayed. */
  readonly events?: Partial<EventOptions>;
  /** Items in a message of a Stream* list; default 5000. */
  readonly streamItems?: number | undefined;
  /** Starts the server for exec, attach and port-forward. Without it, those RPCs are UNIMPLEMENTED. */
  readonly streaming?: (handler: StreamingHandler) => Promise<StreamingServer>;
  /** 64 lowercase hex digits, never the same twice. Default: random. */
  readonly newId?: () => string;
  /** Called with errors that no client waits for. */
  readonly warn?: (message: string, error: unknown) => void;
}

export interface Runtime {
  readonly service: CriService;
  snapshot(): RuntimeSnapshot;
  /** Cheap at any size. */
  readonly counts: StateCounts;
  readonly eventStats: EventStats;
  /** Calls back for each step of a lifecycle; does not count as a subscriber. Returns a function that stops it. */
  watchLifecycle: LifecycleWatchers['watch'];
  /** Pod and container by id or unique prefix, in O(log n). */
  find(id: string): FoundObject | undefined;
  /** Ends a running container's process as if it had exited; resolves once the container is EXITED. */
  exitContainer(id: string, exit: InjectedExit): Promise<void>;
  /** Makes a running container CONTAINER_UNKNOWN until it is stopped, removed, or its process ends. */
  loseContainerStatus(id: string): void;
  /** Ends and forgets all pods, as on a node that lost its disk. Images stay. */
  loseState(): Promise<void>;
  running(): Iterable<Required<FoundObject>>;
  /** Shifts the timestamps of objects and events, in ms; shifts add up. */
  skewClock(by: number): void;
  readonly conditions: readonly BackendCondition[];
  /** Undefined ends the override. */
  overrideCondition(type: ConditionType, condition: BackendCondition | undefined): void;
  /** The server of exec, attach and port-forward; undefined if there is none. */
  readonly streaming: StreamingServer | undefined;
  /** Ends all event streams, stops the streaming server, and closes the backend. */
  close(): Promise<void>;
}

/** Opens the backend, restores its inventory (INV-53), and answers RPCs from then on. */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { engine, watchLifecycle } = createEngine(options);
  const { backend, store, bus, clock } = engine;
  const inventory = await backend.open(createHost(() => engine, options.warn ?? (() => {})));
  recover(engine, inventory);
  const streaming = await options.streaming?.(createStreamingHandler(engine));
  return {
    service: withCancellation({
      ...runtimeConfigService(engine),
      ...sandboxService(engine),
      ...containerService(engine),
      ...execService(engine, streaming),
      ...statsService(engine),
      ...metricsService(engine),
      ...imageService(engine),
      ...streamService(engine),
      ...checkpointService(engine),
    }),
    streaming,
    snapshot: () => takeSnapshot(engine),
    counts: store.counts,
    get eventStats() {
      return bus.stats;
    },
    watchLifecycle,
    find: (id) => findObject(engine, id),
    exitContainer: (id, exit) => exitContainer(engine, id, exit),
    loseContainerStatus: (id) => {
      const record = store.containers.get(id);
      engine.transitions.allowContainer('loseStatus', record.id, record.phase.state);
      if (record.phase.state === 'RUNNING')
        store.setPhase(record, { state: 'UNKNOWN', startedAt: record.phase.startedAt });
    },
    loseState: async () => {
      const records = [...store.sandboxes.values()];
      const { signal } = uncancelled();
      await clock.idle(
        Promise.all(
          records.map((record) =>
            clock.run(() => engine.queue.run(record.id, signal, () => loseSandbox(engine, record))),
          ),
        ),
      );
    },
    running: () => runningSubjects(engine),
    skewClock: (by) => engine.timestamps.skew(by),
    get conditions() {
      return engine.conditions.list();
    },
    overrideCondition: (type, condition) => engine.conditions.override(type, condition),
    close: async () => {
      bus.close();
      await streaming?.close();
      await backend.close();
    },
  };
}

/** A cancelled backend rejects with the signal's reason; the client gets `cancelled`. Synchronous replies stay. */
function withCancellation(service: CriService): CriService {
  const guarded = Object.entries(service).map(([name, serve]) => [name, guard(name, serve as Serve)]);
  return Object.fromEntries(guarded) as CriService;
}

function guard(name: string, serve: Serve): Serve {
  return (request, call) => {
    const reply = serve(request, call);
    return reply instanceof Promise ? reply.catch((error) => rethrow(name, error, call)) : reply;
  };
}

function rethrow(name: string, error: unknown, { signal }: Call): never {
  if (error instanceof CriError || !signal.aborted) throw error;
  throw new CriError('cancelled', `${name} was cancelled by the client`, { cause: error });
}

function createEngine(options: RuntimeOptions): {
  readonly engine: Engine;
  readonly watchLifecycle: LifecycleWatchers['watch'];
} {
  const { backend, clock, transitions = 'cri', rules = strictRules } = options;
  const { newId = randomId, streamItems = STREAM_ITEMS, accounts = openAccounts() } = options;
  const timestamps = createTimestamps(clock);
  const store = createStore(accounts.objects);
  const isUnfinished = (id: string) => !store.sandboxes.has(id) && !store.containers.has(id);
  const bus = createEventBus(clock, { ...defaultEventOptions, ...options.events }, accounts.events);
  const { announce, watch } = createLifecycleWatchers(createAnnouncer(bus, timestamps));
  const engine = {
    backend,
    rules,
    handlers: rules.handlers(backend.capabilities.runtimeHandlers),
    clock,
    accounts,
    store,
    names: new NameRegistry((holder) => rules.sharesUnfinished && isUnfinished(holder)),
    queue: createPodQueue(clock),
    timestamps,
    transitions: createTransitions(transitions, rules),
    conditions: createConditions(),
    bus,
    announce,
    newId,
    streamItems,
    starting: new Map(),
  };
  return { engine, watchLifecycle: watch };
}

async function exitContainer(engine: Engine, id: string, exit: InjectedExit): Promise<void> {
  const { backend, store, transitions } = engine;
  const record = store.containers.get(id);
  if (backend.injectExit === undefined) throw unsupported('this runtime cannot end a container by itself');
  transitions.allowContainer('exit', record.id, record.phase.state);
  await backend.injectExit(record.id, exit);
}

async function loseSandbox(engine: Engine, record: Parameters<typeof removeSandbox>[1]): Promise<void> {
  if (engine.store.sandboxes.has(record.id)) await removeSandbox(engine, record);
}
