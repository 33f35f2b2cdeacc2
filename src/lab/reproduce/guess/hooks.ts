import { isOfKubelet } from '../distance/events.js';
import type { Observation, PlacedEvent } from '../observation.js';

export interface HookGuess {
  readonly parts: readonly string[];
  readonly why: string;
}

const ENDED = /^(?:Exec lifecycle hook .*|.*lifecycle hook failed: .*)\bexited with (\d+)/s;

/** From events of a failed hook: exit code, and time after the start. */
export function guessHook(container: string, pod: string, { events }: Observation): HookGuess | undefined {
  const own = events.filter((each) => isOfKubelet(each) && each.pod === pod);
  const failed = own.find(
    ({ reason, message }) =>
      /^Failed(?:PostStart|PreStop)Hook$/.test(reason) && message.includes(`for Container "${container}"`),
  );
  const code = ENDED.exec(failed?.message ?? '')?.[1];
  if (failed === undefined || code === undefined) return undefined;
  const took = failed.reason === 'FailedPostStartHook' ? tookAfterStart(failed, own) : 0;
  return {
    parts: [`exec-exit=${code}`, ...(took > 0 ? [`exec-delay=${took}s`] : [])],
    why: `its event ${failed.reason} says that the hook exited with ${code}`,
  };
}

/** The kubelet runs the hook right after the container's start. */
function tookAfterStart({ first: failed }: PlacedEvent, own: readonly PlacedEvent[]): number {
  const started = own.find(({ reason }) => reason === 'Started')?.first;
  return failed === undefined || started === undefined
    ? 0
    : Math.max(0, Math.round(failed.from - started.from));
}
