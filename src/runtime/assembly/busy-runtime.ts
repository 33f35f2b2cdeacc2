import type { Clock } from '../../base/clock/clock.js';
import type { Layer } from '../../cri/layer.js';
import type { Call } from '../../cri/service.js';
import { type UnaryWork, wrapService } from '../../cri/wrap-service.js';

/** Calls of one burst that take no time. */
export const AT_ONCE = 5_000;
/** Time in ms that each further call takes; one more call becomes free in this time. */
export const EACH = 1;

/**
 * Limits a runtime on virtual time to 1,000 calls a second on average. Without a limit, a client that calls in a loop
 * would stay at one instant forever, such as a kubelet whose sync of a pod triggers the next sync.
 */
export function busyRuntime(clock: Clock): Layer {
  let waiting = 0;
  let last = clock.elapsed();
  const isBusy = (): boolean => {
    const now = clock.elapsed();
    waiting = Math.max(0, waiting - (now - last) / EACH) + 1;
    last = now;
    return waiting > AT_ONCE;
  };
  const later = async (work: UnaryWork, request: object, call: Call) => {
    await clock.sleep(EACH, call.signal);
    return work(request, call);
  };
  return (below) =>
    wrapService(below, {
      unary: (_, work) => (request, call) => (isBusy() ? later(work, request, call) : work(request, call)),
      stream: (_, work) => work,
    });
}
