import type { Clock } from '../../base/clock/clock.js';
import type { RuntimeClient } from '../client/client.js';
import { errorText } from '../client/errors.js';
import type { Problem } from '../types/reports.js';

/** In ms: interval of Status calls, and how long the runtime counts as up after a successful reply. */
export const STATUS_PERIOD = 5000;
const MAX_WAIT_FOR_RUNTIME = 30_000;

/** runtime.go and updateRuntimeUp. */
export interface RuntimeState {
  refresh(): Promise<void>;
  runtimeErrors(): readonly Problem[];
  /** Errors that keep pods without host network from starting. */
  networkErrors(): readonly Problem[];
}

export interface RuntimeStateOptions {
  readonly clock: Clock;
  readonly client: RuntimeClient;
  readonly plegProblems: () => readonly Problem[];
  readonly log: (message: string) => void;
}

/** Until the first reply, neither the runtime nor its network is ready. */
export function createRuntimeState({ clock, client, plegProblems, log }: RuntimeStateOptions): RuntimeState {
  let lastGood: number | undefined;
  let runtimeError: Problem | undefined;
  let networkError: Problem | undefined = { what: 'network-unknown', text: 'network state unknown' };

  const refresh = async (): Promise<void> => {
    const status = await client.status().catch((error: unknown) => {
      log(`Container runtime sanity check failed: ${errorText(error)}`);
      return undefined;
    });
    if (status === undefined) return;
    const complaint = (type: string) => {
      const condition = status.conditions.find((each) => each.type === type);
      if (condition?.status === true) return undefined;
      if (condition === undefined) return '<nil>';
      return `${type}=false reason:${condition.reason} message:${condition.message}`;
    };
    const network = complaint('NetworkReady');
    networkError =
      network === undefined
        ? undefined
        : {
            what: 'network-not-ready',
            text: `container runtime network not ready: ${network}`,
          };
    const runtime = complaint('RuntimeReady');
    runtimeError =
      runtime === undefined
        ? undefined
        : { what: 'runtime-not-ready', text: `container runtime not ready: ${runtime}` };
    if (runtime === undefined) lastGood = clock.elapsed();
  };

  return {
    refresh,
    runtimeErrors: () => {
      const errors: Problem[] = [];
      if (lastGood === undefined)
        errors.push({
          what: 'runtime-unchecked',
          text: 'container runtime status check may not have completed yet',
        });
      else if (clock.elapsed() >= lastGood + MAX_WAIT_FOR_RUNTIME)
        errors.push({ what: 'runtime-down', text: 'container runtime is down' });
      errors.push(...plegProblems());
      if (runtimeError !== undefined) errors.push(runtimeError);
      return errors;
    },
    networkErrors: () => (networkError === undefined ? [] : [networkError]),
  };
}
