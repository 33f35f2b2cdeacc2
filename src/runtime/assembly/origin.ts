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

/** The bottom of an assembly: what really answers the calls. */
export interface Origin {
  readonly service: CriService;
  /** What fault rules can change there. */
  readonly target: FaultTarget;
  /** Goes directly on the service, below the fault rules. */
  readonly layer?: Layer | undefined;
  /** Undefined when the state is in another process. */
  readonly runtime?: Runtime | undefined;
  /** Whether requests are forwarded as bytes, so that the server decodes one only when a layer reads it. */
  readonly forwards: boolean;
  /** Undefined if it takes in none. */
  readonly plugins?: RuntimePlugins | undefined;
  close(): Promise<void>;
}

/** An origin in this process. */
export interface RuntimeOrigin extends Origin {
  readonly runtime: Runtime;
}

/** An engine, and the runtime that it behaves as. */
export interface OriginOptions extends Omit<RuntimeOptions, 'rules'> {
  /** Default: the engine as it is. */
  readonly profile?: RuntimeProfile | undefined;
  /** How long its operations take on the clock, on top of what the backend itself takes. Default: no time. */
  readonly latency?: Latency | undefined;
  /** Where times vary. Default: the same sequence every time. */
  readonly random?: Random | undefined;
}

/** The backend, whose operations take the runtime's time. What sees that time goes in front of it. */
export const timedBackend = ({
  backend,
  clock,
  latency,
  random = createRandom('latency'),
}: OriginOptions): Backend => (latency ? withLatency(backend, clock, random, latency) : backend);

/** A runtime of Mockri's own: the engine over a backend. */
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
