import type { Clock } from '../../../base/clock/clock.js';
import type { RuntimeOrigin } from '../../../runtime/assembly/origin.js';
import type {
  Backend,
  BackendHost,
  Inventory,
  RecoveredContainer,
  RecoveredSandbox,
} from '../../../runtime/engine/backend.js';
import type { FaultTarget } from '../../../runtime/faults/host.js';
import type { RuntimeProfileName } from '../../../runtime/profiles/index.js';

export interface UpgradableRuntime {
  readonly origin: RuntimeOrigin;
  /** Another runtime takes over pods and containers as they are, as after an upgrade in place. */
  useProfile(profile: RuntimeProfileName): Promise<void>;
}

export interface UpgradableOptions {
  /** The runtimes share it, one after the other. */
  readonly backend: Backend;
  readonly clock: Clock;
  readonly profile: RuntimeProfileName;
  readonly open: (backend: Backend, profile: RuntimeProfileName) => Promise<RuntimeOrigin>;
}

export async function openUpgradable(options: UpgradableOptions): Promise<UpgradableRuntime> {
  const { profile, open, clock } = options;
  const backend = keepInventory(options.backend, clock);
  let now = await open(backend, profile);
  const overrides = new Map<string, () => void>();
  let skew = 0;
  const target: FaultTarget = {
    ...forwarding(() => now.target),
    overrideCondition: (...override) => {
      overrides.set(override[0], () => now.target.overrideCondition(...override));
      now.target.overrideCondition(...override);
    },
    skewClock: (by) => {
      skew += by;
      now.target.skewClock(by);
    },
  };
  const origin: RuntimeOrigin = {
    ...now,
    service: forwarding(() => now.service),
    runtime: forwarding(() => now.runtime),
    target,
    close: () => now.close(),
  };
  return {
    origin,
    useProfile: async (next) => {
      const before = now;
      now = await open(backend, next);
      await before.close();
      now.target.skewClock(skew);
      for (const apply of overrides.values()) apply();
    },
  };
}

/** Has the properties of the present object, and calls its functions, even from copies. */
export const forwarding = <T extends object>(present: () => T): T =>
  new Proxy(present(), {
    get: (_, key) => {
      const read = (): unknown => Reflect.get(present(), key);
      const value = read();
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) => Reflect.apply(read() as typeof value, undefined, given);
    },
  });

/** A backend that the next runtime can open too: it finds what the runtime before it has made. */
function keepInventory(backend: Backend, clock: Clock): Backend {
  const sandboxes = new Map<string, RecoveredSandbox>();
  const containers = new Map<string, RecoveredContainer>();
  const change = (id: string, changes: Partial<RecoveredContainer>) => {
    const known = containers.get(id);
    if (known !== undefined) containers.set(id, { ...known, ...changes });
  };
  const end = (id: string) => {
    const known = sandboxes.get(id);
    if (known !== undefined) sandboxes.set(id, { ...known, ready: false });
  };
  let host: BackendHost | undefined;
  let users = 0;
  return {
    ...backend,
    open: async (its): Promise<Inventory> => {
      host = its;
      users++;
      await backend.open({
        ...its,
        // Reports of an end that are on their way when the runtimes change reach the new one.
        containerExited: (exit) => {
          change(exit.containerId, { state: 'exited', exit });
          host?.containerExited(exit);
        },
        sandboxExited: (id) => {
          end(id);
          host?.sandboxExited(id);
        },
      });
      return { sandboxes: [...sandboxes.values()], containers: [...containers.values()] };
    },
    close: async () => {
      users--;
      if (users === 0) await backend.close();
    },
    runSandbox: async (spec, call) => {
      const runtime = await backend.runSandbox(spec, call);
      sandboxes.set(spec.id, { spec, runtime, ready: true });
      return runtime;
    },
    stopSandbox: async (id, call) => {
      await backend.stopSandbox(id, call);
      end(id);
    },
    removeSandbox: async (id, call) => {
      await backend.removeSandbox(id, call);
      sandboxes.delete(id);
    },
    createContainer: async (spec, call) => {
      const runtime = await backend.createContainer(spec, call);
      containers.set(spec.id, { spec, runtime, state: 'created', startedAt: 0n });
      return runtime;
    },
    startContainer: async (id, call) => {
      change(id, { state: 'running', startedAt: clock.now() });
      try {
        await backend.startContainer(id, call);
      } catch (error) {
        const { message } = error as Error;
        const exit = {
          containerId: id,
          exitCode: 128,
          reason: 'StartError',
          message,
          finishedAt: clock.now(),
        };
        change(id, { state: 'exited', startedAt: 0n, exit });
        throw error;
      }
      if (containers.get(id)?.state === 'running') change(id, { startedAt: clock.now() });
    },
    removeContainer: async (id, call) => {
      await backend.removeContainer(id, call);
      containers.delete(id);
    },
    updateContainerResources: async (id, given, call) => {
      const resources = await backend.updateContainerResources(id, given, call);
      const runtime = containers.get(id)?.runtime;
      if (runtime !== undefined) change(id, { runtime: { ...runtime, resources } });
      return resources;
    },
  };
}
