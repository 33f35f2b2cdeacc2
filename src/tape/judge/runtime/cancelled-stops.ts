import { ContainerState, type StopContainerRequest } from '../../../cri/gen/runtime/v1/api.js';
import type { Objects } from '../../world/objects.js';
import type { AnsweredCall, Watcher } from '../../world/watcher.js';
import type { Findings } from '../finding.js';
import { observationsIn } from './states.js';

/** Number of unsuccessful stops that chance does not explain. */
const ENOUGH = 3;
/** How long a killed process may take to end, in ns. */
const SLOW = 5_000_000_000;

/** Stops of a container since one was cancelled. */
interface Vain {
  readonly firstLine: number;
  lastLine: number;
  count: number;
}

/** A container whose stop was cancelled has to end by a later one (INV-17.StopContainer). */
export function watchCancelledStops(objects: Objects, findings: Findings): Watcher {
  const stops = new Map<string, Vain>();

  const stopped = ({ call, reply, callLine, replyLine, isOk, isOpenEnded }: AnsweredCall) => {
    const { containerId, timeout } = call.message.value<StopContainerRequest>();
    const { id } = objects.find(containerId) ?? {};
    if (id === undefined) return;
    const known = stops.get(id);
    if (isOk) stops.delete(id);
    else if (known === undefined) {
      if (isOpenEnded) stops.set(id, { firstLine: callLine, lastLine: replyLine, count: 0 });
    } else if (!isOpenEnded || reply.t - call.t > Number(timeout) * 1e9 + SLOW) {
      known.lastLine = replyLine;
      known.count++;
    }
  };

  return {
    answered: (exchange) => {
      if (exchange.method === 'StopContainer') stopped(exchange);
      if (stops.size === 0) return;
      for (const { kind, id, state } of observationsIn(exchange)) {
        const vain = stops.get(id);
        if (kind !== 'container' || vain === undefined || vain.lastLine > exchange.callLine) continue;
        if (state !== ContainerState.CONTAINER_RUNNING) stops.delete(id);
        else if (vain.count >= ENOUGH)
          findings.add(
            'INV-17.StopContainer',
            id,
            `${objects.byId.get(id)?.name ?? id} runs on after a StopContainer that was cancelled and ${vain.count} more without success`,
            [vain.firstLine, vain.lastLine, exchange.replyLine],
          );
      }
    },
    forget: () => stops.clear(),
  };
}
