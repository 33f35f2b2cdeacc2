import { createRandom, type Random } from '../../base/random/random.js';
import { CriError } from '../../cri/errors.js';
import type { Layer } from '../../cri/layer.js';
import type { CriService } from '../../cri/service.js';
import type { ContainerFacts, PodFacts } from '../../cri/subject.js';
import { randomId } from '../engine/random-id.js';
import { STREAM_ITEMS } from '../engine/rpc/streams.js';
import { createRuntime, type Runtime } from '../engine/runtime.js';
import type { FaultTarget } from '../faults/host.js';
import { applyProfile } from '../profiles/apply.js';
import type { Latency } from '../profiles/latency/latency.js';
import { withLatency } from './latency.js';
import type { PluggedOptions, PluginOptions, RuntimePlugins } from './plugins.js';

type Subject = NonNullable<ReturnType<Runtime['find']>>;

export interface Origin {
  readonly service: CriService;
  readonly target: FaultTarget;
  /** Applied directly to the service, below the fault rules. */
  readonly layer?: Layer | undefined;
  /** Undefined when the state is in another process. */
  readonly runtime?: Runtime | undefined;
  /** Whether requests are forwarded as bytes: the server then decodes one only when a layer reads it. */
  readonly forwards: boolean;
  /** Whether clients that ping too often lose their connection, as with grpc-go. */
  readonly refusesPings?: boolean | undefined;
  /** Undefined if it accepts no plugins. */
  readonly plugins?: RuntimePlugins | undefined;
  close(): Promise<void>;
}

export interface RuntimeOrigin extends Origin {
  readonly runtime: Runtime;
}

export interface OriginOptions extends Omit<PluggedOptions, 'plugins'> {
  /**
   * How long backend operations take on the clock, in addition to the backend's own time. Default: no additional time.
   */
  readonly latency?: Latency | undefined;
  /** Randomness of the times. Default: the same sequence every time. */
  readonly random?: Random | undefined;
  /** Default: the runtime accepts no plugins and knows no CDI devices. */
  readonly plugins?: PluginOptions | undefined;
}

export async function openRuntime(options: OriginOptions): Promise<RuntimeOrigin> {
  const { latency, random = createRandom('latency'), plugins: places, ...given } = options;
  const { clock, newId = randomId, warn = () => {} } = given;
  const backend = latency ? withLatency(given.backend, clock, random, latency) : given.backend;
  const timed = { ...given, newId, backend };
  // Loaded on demand: most runtimes do without.
  const pluginsOf = places && (await import('./with-plugins.js')).withPlugins;
  const plugged: PluggedOptions = pluginsOf ? pluginsOf(timed, places) : timed;
  const { plugins, profile, ...rest } = plugged;
  const events = { ...profile?.events, ...rest.events };
  const streamItems = rest.streamItems ?? profile?.streamItems ?? STREAM_ITEMS;
  const runtime = await createRuntime({ ...rest, events, streamItems, rules: profile?.rules });
  return {
    service: profile ? applyProfile(profile, runtime.service, clock, newId, streamItems) : runtime.service,
    runtime,
    target: runtimeTarget(runtime, warn),
    forwards: false,
    refusesPings: profile !== undefined,
    plugins,
    close: async () => {
      await runtime.close();
      await plugins?.suspend();
    },
  };
}

export function runtimeTarget(
  runtime: Runtime,
  warn: (message: string, error: unknown) => void,
): FaultTarget {
  const isTrue = (type: string) => runtime.conditions.find((each) => each.type === type)?.status ?? true;
  return {
    pod: (id) => podFacts(runtime.find(id)),
    container: (id) => containerFacts(runtime.find(id)),
    conditions: () => ({ runtime: isTrue('RuntimeReady'), network: isTrue('NetworkReady') }),
    *runningContainers() {
      for (const subject of runtime.running()) {
        const facts = containerFacts(subject);
        if (facts) yield facts;
      }
    },
    exitContainer: (id, { exitCode, reason }) => {
      runtime.exitContainer(id, { exitCode, ...(reason !== undefined && { reason }) }).catch((error) => {
        // The container has ended or been removed already: the rule has nothing left to do.
        const isOver = error instanceof CriError && ['wrong-state', 'not-found'].includes(error.kind);
        if (!isOver) warn(`a fault rule could not end container ${id}`, error);
      });
    },
    overrideCondition: (type, override) => runtime.overrideCondition(type, override && { type, ...override }),
    skewClock: (by) => runtime.skewClock(by),
    loseState: () => runtime.loseState(),
  };
}

function podFacts(subject: Subject | undefined): PodFacts | undefined {
  return subject?.pod;
}

function containerFacts(subject: Subject | undefined): ContainerFacts | undefined {
  return subject?.container && { ...subject.container, sandboxId: subject.pod.id };
}
