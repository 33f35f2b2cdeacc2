import { createRandom, type Random } from '../../base/random/random.js';
import type { Layer } from '../../cri/layer.js';
import type { CriService } from '../../cri/service.js';
import type { Backend } from '../engine/backend.js';
import { randomId } from '../engine/random-id.js';
import { STREAM_ITEMS } from '../engine/rpc/streams.js';
import { createRuntime, type Runtime, type RuntimeOptions } from '../engine/runtime.js';
import type { FaultTarget } from '../faults/host.js';
import { applyProfile } from '../profiles/apply.js';
import type { Latency } from '../profiles/latency/latency.js';
import type { RuntimeProfile } from '../profiles/profile.js';
import { withLatency } from './latency.js';
import type { RuntimePlugins } from './plugins.js';
import { runtimeTarget } from './runtime-target.js';

export interface Origin {
  readonly service: CriService;
  readonly target: FaultTarget;
  /** Applied directly to the service, below the fault rules. */
  readonly layer?: Layer | undefined;
  /** Undefined when the state is in another process. */
  readonly runtime?: Runtime | undefined;
  /** Whether requests are forwarded as bytes: the server then decodes one only when a layer reads it. */
  readonly forwards: boolean;
  /** Undefined if it accepts no plugins. */
  readonly plugins?: RuntimePlugins | undefined;
  close(): Promise<void>;
}

export interface RuntimeOrigin extends Origin {
  readonly runtime: Runtime;
}

export interface OriginOptions extends Omit<RuntimeOptions, 'rules'> {
  /** Default: the engine without a profile. */
  readonly profile?: RuntimeProfile | undefined;
  /** How long backend operations take on the clock, in addition to the backend's own time. Default: no time. */
  readonly latency?: Latency | undefined;
  /** Randomness of the times. Default: the same sequence every time. */
  readonly random?: Random | undefined;
}

/** Adds the runtime's latency to the backend. Wrap what it returns to observe that time. */
export const timedBackend = ({
  backend,
  clock,
  latency,
  random = createRandom('latency'),
}: OriginOptions): Backend => (latency ? withLatency(backend, clock, random, latency) : backend);

export async function openRuntime(options: OriginOptions): Promise<RuntimeOrigin> {
  const { profile, newId = randomId, ...rest } = options;
  const backend = timedBackend(options);
  const events = { ...profile?.events, ...rest.events };
  const streamItems = rest.streamItems ?? profile?.streamItems ?? STREAM_ITEMS;
  const rules = profile?.rules;
  const runtime = await createRuntime({ ...rest, newId, backend, events, streamItems, rules });
  return {
    service: profile
      ? applyProfile(profile, runtime.service, rest.clock, newId, streamItems)
      : runtime.service,
    runtime,
    target: runtimeTarget(runtime, options.warn ?? (() => {})),
    forwards: false,
    close: () => runtime.close(),
  };
}
