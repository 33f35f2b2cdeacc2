import type { Entry, Happening } from '../../../tape/entries.js';
import type { RecordedRuntime } from '../../assembly/tape-recorder.js';

export type Timed = Happening extends infer H
  ? H extends Happening
    ? H & { readonly t: number }
    : never
  : never;

/** Lifecycles of the existing pods and containers, in times of the tape; without those that ended before `start`. */
export function whatExists({ node, tape, origin }: RecordedRuntime, start: number): Entry[] {
  const timeOf = (nanos: string) => Number(BigInt(nanos) - tape.startedAt);
  const happenings = (origin.runtime?.snapshot().sandboxes ?? []).flatMap((sandbox): Timed[] => {
    const { id, name, namespace, uid, attempt, createdAt } = sandbox;
    const pod = { id, name, namespace, uid, attempt };
    const lifecycles = sandbox.containers.flatMap(({ state, exitCode, reason, ...container }): Timed[] => {
      const about = { id: container.id, name: container.name, attempt: container.attempt };
      const base = { kind: 'container', pod, container: about } as const;
      const [created, started, ended] = [container.createdAt, container.startedAt, container.finishedAt].map(
        timeOf,
      );
      if (created === undefined || started === undefined || ended === undefined) return [];
      if (state === 'EXITED' && ended < start) return [];
      return [
        { t: created, ...base, what: 'created' },
        ...(container.startedAt === '0' ? [] : [{ t: started, ...base, what: 'started' } as const]),
        ...(state === 'EXITED'
          ? [{ t: ended, ...base, what: 'ended', exitCode, ...(reason && { reason }) } as const]
          : []),
      ];
    });
    // The runtime doesn't store the stop time of a sandbox; if the stop was recent, the kept entries have it.
    const what = sandbox.state === 'READY' ? 'ready' : 'stopped';
    return [{ t: timeOf(createdAt), kind: 'sandbox', pod, what }, ...lifecycles];
  });
  return happenings.map((happening) => ({ ...happening, ...(node && { node }) }) as Entry);
}
