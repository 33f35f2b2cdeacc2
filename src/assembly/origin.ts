import type { Layer } from '../cri/layer.js';
import type { CriService } from '../cri/service.js';
import { createRuntime, type Runtime, type RuntimeOptions } from '../engine/runtime.js';
import type { FaultTarget } from '../faults/host.js';
import { applyProfile } from '../profiles/apply.js';
import type { RuntimeProfile } from '../profiles/profile.js';
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
}

/** A runtime of Mockri's own: the engine over a backend. */
export async function openRuntime({ profile, ...options }: OriginOptions): Promise<RuntimeOrigin> {
  const runtime = await createRuntime({ ...options, rules: profile?.rules });
  return {
    service: profile === undefined ? runtime.service : applyProfile(profile, runtime.service),
    runtime,
    target: runtimeTarget(runtime, options.warn ?? (() => {})),
    forwards: false,
    close: () => runtime.close(),
  };
}
