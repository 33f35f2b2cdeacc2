/** A state that is shown for a time: of a pod or of the node, as text. */
export interface Shown {
  readonly from: number;
  /** When another one follows. */
  readonly to: number;
  readonly ready: string;
  readonly status: string;
  readonly restarts: number;
}

type State = Pick<Shown, 'ready' | 'status' | 'restarts'>;

/** States that are one cause's, as it comes and goes. */
const KIN: readonly (readonly string[])[] = [
  ['Error', 'CrashLoopBackOff', 'OOMKilled', 'Completed', 'RunContainerError', 'CreateContainerError'],
  ['ErrImagePull', 'ImagePullBackOff'],
  ['ContainerCreating', 'PodInitializing', 'Pending'],
];

/** The end of a container, until the kubelet says that it backs off: with its next sync, at once or when it is over. */
const ENDED = /^(?:Init:)?(?:Error|OOMKilled|Completed|PostStartHookError)$/;
const BACK_OFF = /^(?:Init:)?CrashLoopBackOff$/;
const isOneWait = (a: string, b: string): boolean =>
  a.startsWith('Init:') === b.startsWith('Init:') &&
  ((BACK_OFF.test(a) && ENDED.test(b)) || (BACK_OFF.test(b) && ENDED.test(a)));

/** States of which the end of a container and the back-off after it are one. */
export const withOneWait = <T extends State>(states: readonly T[]): T[] =>
  states.filter((each, index) => {
    const before = states[index - 1];
    return !(before?.restarts === each.restarts && isOneWait(before.status, each.status));
  });

/** How much of a state is right, from 0 to 1. */
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
  // What a pod that ends still shows of its containers depends on when its status was last sent.
  const ready = a.status === 'Terminating' ? 0.02 : 0.15;
  const apart = Math.abs(a.restarts - b.restarts);
  const restarts = apart === 0 ? 0.25 : apart === 1 ? 0.1 : 0;
  return status + (0.15 - ready) + restarts + (a.ready === b.ready ? ready : 0);
}

/** Length of the longest common subsequence of states, of those that are alike as far as they are. */
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
