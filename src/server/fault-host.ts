import type { Clock } from '../clock/clock.js';
import type { FaultHost, RestartOptions } from '../faults/host.js';
import type { CriServer } from './server.js';

/** What is behind a server, as the fault rules see it and lay hands on it. */
export interface FaultTarget extends Omit<FaultHost, 'restart' | 'disconnectAll'> {
  /** Ends and forgets all pods. */
  loseState(): Promise<void>;
}

type Reachable = Pick<CriServer, 'suspend' | 'resume' | 'connections'>;

/** The hand of the fault rules on a runtime and its server. */
export interface ServerFaultHost extends FaultHost {
  /** Names the server whose socket the rules take away; until then they leave it alone. */
  serve(server: Reachable): void;
}

interface HostOptions {
  readonly clock: Clock;
  /** Told what could not be done where nobody waits for an answer. */
  readonly warn: (message: string, error: unknown) => void;
}

/** Rules act on a target and on the server in front of it. */
export function createFaultHost(target: FaultTarget, { clock, warn }: HostOptions): ServerFaultHost {
  let server: Reachable | undefined;
  let down = 0;

  const restart = async ({ downFor, state, released }: RestartOptions): Promise<void> => {
    // Restarts that overlap are one: the socket is back when the last of them is over.
    if (down++ === 0) await server?.suspend();
    try {
      if (state === 'lose') await target.loseState();
      // Rejects when the rule is taken back: then the runtime is back at once.
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
    lacks: (action, trigger, hasDelay) =>
      target.lacks?.(action, trigger, hasDelay) ??
      (trigger === 'connection' ? inVirtualTime(clock, hasDelay ? 'delay' : action?.name) : undefined),
    serve: (given) => {
      server = given;
    },
  };
}

/** Bytes in a socket hold a virtual clock until they have arrived, so they can't wait for it. */
function inVirtualTime({ kind }: Clock, action: string | undefined): string | undefined {
  const waits = action !== undefined && ['delay', 'stall', 'latency', 'throttle'].includes(action);
  if (kind !== 'virtual' || !waits) return undefined;
  return `${action} on a connection needs real time, and this clock is virtual: delay the calls instead (on: call)`;
}
