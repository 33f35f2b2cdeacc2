export interface Shown {
  readonly from: number;
  readonly to: number;
  readonly ready: string;
  readonly status: string;
  readonly restarts: number;
}

type State = Pick<Shown, 'ready' | 'status' | 'restarts'>;

/** Alternating states with one cause. */
const KIN: readonly (readonly string[])[] = [
  ['Error', 'CrashLoopBackOff', 'OOMKilled', 'Completed', 'RunContainerError', 'CreateContainerError'],
  ['ErrImagePull', 'ImagePullBackOff'],
  ['ContainerCreating', 'PodInitializing', 'Pending'],
];

/** An ended container before the kubelet reports back-off, which happens at its next sync, immediately or later. */
const ENDED = /^(?:Init:)?(?:Error|OOMKilled|Completed|PostStartHookError)$/;
const BACK_OFF = /^(?:Init:)?CrashLoopBackOff$/;
const isOneWait = (a: string, b: string): boolean =>
  a.startsWith('Init:') === b.startsWith('Init:') &&
  ((BACK_OFF.test(a) && ENDED.test(b)) || (BACK_OFF.test(b) && ENDED.test(a)));

export const withOneWait = <T extends State>(states: readonly T[]): T[] =>
  states.filter((each, index) => {
    const before = states[index - 1];
    return !(before?.restarts === each.restarts && isOneWait(before.status, each.status));
  });

/** Similarity of two states, from 0 to 1. */
export function alike(a: State, b: State): number {
  const status =
    a.status === b.status
      ? 0.6
      : isOneWait(a.status, b.status)
        ? 0.5
        : KIN.some((kin) => kin.includes(a.status) && kin.includes(b.status))
          ? 0.2
          : 0;
  if (status === 0) return 0;
  // A terminating pod's containers are shown as in its last sent status.
  const ready = a.status === 'Terminating' ? 0.02 : 0.15;
  const apart = Math.abs(a.restarts - b.restarts);
  const restarts = apart === 0 ? 0.25 : apart === 1 ? 0.1 : 0;
  return status + (0.15 - ready) + restarts + (a.ready === b.ready ? ready : 0);
}

export function common(a: readonly State[], b: readonly State[]): number {
  let before = new Float64Array(b.length + 1);
  for (const left of a) {
    const row = new Float64Array(b.length + 1);
    for (const [index, right] of b.entries()) {
      const both = (before[index] ?? 0) + Math.max(0, 2 * alike(left, right) - 1);
      row[index + 1] = Math.max(before[index + 1] ?? 0, row[index] ?? 0, both);
    }
    before = row;
  }
  return before[b.length] ?? 0;
}
