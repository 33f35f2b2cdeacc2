import type { Clock } from '../clock/clock.js';
import type { BackOffDecision } from '../kubelet/backoff/crash-loop.js';
import type { NodeView } from '../kubelet/node/control-plane.js';
import type { KubeEvent, PlegReport, ProbeReport } from '../kubelet/types.js';
import type { Happening, PodName } from '../tape/entries.js';
import type { Tape } from '../tape/tape.js';

/** A line of `kubectl get pod -w`. */
export interface ShownRow {
  readonly pod: string;
  readonly ready: string;
  readonly status: string;
  readonly restarts: number;
}

/** Where to write, and who the pods are. */
export interface KubeletTapeOptions {
  readonly tape: Tape | undefined;
  readonly clock: Clock;
  /** What is known of the pod that is called so; with its uid where names are not unique. */
  readonly podOf: (name: string, uid?: string) => PodName;
}

/** Writes what a kubelet shows and decides onto a tape, while somebody listens to it. */
export function createKubeletTape({ tape, clock, podOf }: KubeletTapeOptions) {
  const write = (kind: Happening['kind'], happening: () => Happening) => {
    if (tape?.wants(kind)) tape.write(happening());
  };
  return {
    row: ({ pod, ready, status, restarts }: ShownRow) =>
      write('row', () => ({ kind: 'row', pod: podOf(pod), ready, status, restarts })),
    event: ({
      pod,
      field,
      type,
      reason,
      message,
    }: Pick<KubeEvent, 'pod' | 'field' | 'type' | 'reason' | 'message'>) =>
      write('event', () => ({ kind: 'event', pod: podOf(pod), field, type, reason, text: message })),
    node: ({ ready, reason, message, taint, evicting }: NodeView) =>
      write('node', () => ({
        kind: 'node',
        ready,
        reason,
        text: message,
        ...(taint && { taint }),
        evicting,
      })),
    log: (text: string) => write('log', () => ({ kind: 'log', from: 'kubelet', text })),
    backOff: ({ pod, uid, container, waits, finishedAt, delay }: BackOffDecision) =>
      write('backoff', () => ({
        kind: 'backoff',
        pod: podOf(pod, uid),
        container: { name: container },
        waits,
        delay: Math.round(delay * 1e6),
        ...(finishedAt !== undefined && { endedAgo: Number(clock.now() - finishedAt) }),
      })),
    pleg: ({ state, text, seconds }: PlegReport) =>
      write('pleg', () => ({
        kind: 'pleg',
        state,
        ...(text !== undefined && { text }),
        ...(seconds !== undefined && { duration: Math.round(seconds * 1e9) }),
      })),
    probe: ({ pod, uid, container, kind, outcome, output }: ProbeReport) =>
      write('probe', () => ({
        kind: 'probe',
        pod: podOf(pod, uid),
        container: { name: container },
        probe: kind,
        outcome,
        ...(output !== '' && { text: output }),
      })),
  };
}
