import type { Clock } from '../../base/clock/clock.js';
import type { RestartableServer } from '../../cri/restartable-server.js';
import type { FaultHost, FaultTarget, RestartOptions } from './host.js';
import type { Trigger } from './language/trigger.js';

export interface ServerFaultHost extends FaultHost {
  /** Sets the server that rules restart, and whose connections they break; without one they have no effect. */
  useServer(server: RestartableServer): void;
}

interface HostOptions {
  readonly clock: Clock;
  /** Called with errors that no client waits for. */
  readonly warn: (message: string, error: unknown) => void;
}

export function createFaultHost(target: FaultTarget, { clock, warn }: HostOptions): ServerFaultHost {
  let server: RestartableServer | undefined;
  let down = 0;

  const restart = async ({ downFor, state, released }: RestartOptions): Promise<void> => {
    // Overlapping restarts count as one: the socket returns after the last of them.
    if (down++ === 0) await server?.suspend();
    try {
      if (state === 'lose') await target.loseState();
      // Rejects when the rule is removed: the runtime is then back immediately.
      await clock.sleep(downFor, released).catch(() => {});
    } finally {
      if (--down === 0) await server?.resume();
    }
  };

  return {
    ...target,
    restart: (options) =>
      restart(options).catch((error) => warn('a fault rule could not restart the runtime', error)),
    disconnectAll: (how) => server?.connections.disconnectAll(how),
    holdStreams: (until) => server?.hold?.(until),
    lacks: (action, trigger, hasDelay) =>
      target.lacks?.(action, trigger, hasDelay) ??
      (trigger === 'connection' || trigger === 'session'
        ? inVirtualTime(clock, trigger, hasDelay ? 'delay' : action?.name)
        : undefined),
    useServer: (given) => {
      server = given;
    },
  };
}

/** A virtual clock stands still while bytes travel through a socket, so bytes can't wait for it. */
function inVirtualTime({ kind }: Clock, trigger: Trigger, action: string | undefined): string | undefined {
  const waits = action !== undefined && ['delay', 'stall', 'latency', 'throttle'].includes(action);
  if (kind !== 'virtual' || !waits) return undefined;
  return `${action} on a ${trigger} needs real time, and this clock is virtual: delay the calls instead (on: call)`;
}
