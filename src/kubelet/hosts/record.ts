import type { Clock } from '../../base/clock/clock.js';
import { forgetOldest } from '../../base/input/forget-oldest.js';
import { withoutTimes } from '../../base/input/without-times.js';
import type { EntryOf, Happening, PodName } from '../../tape/entries.js';
import type { Tape } from '../../tape/tape.js';
import type { BackOffDecision } from '../backoff/crash-loop.js';
import type { Pod } from '../kubernetes/pod.js';
import type { PodApiStatus } from '../kubernetes/pod-status.js';
import type { NodeView } from '../node/control-plane.js';
import { podRow } from '../status/row.js';
import type { KubeEvent } from '../types/ports.js';
import type { PlegReport, ProbeReport } from '../types/reports.js';

/** A line of `kubectl get pod -w`. */
export type ShownRow = Pick<EntryOf<'row'>, 'pod' | 'ready' | 'status' | 'restarts'>;

export interface NodeRecordOptions {
  readonly clock: Clock;
  readonly tape?: Tape | undefined;
  readonly onRow?: ((row: ShownRow) => void) | undefined;
}

/** Records what happens on a node, each thing once, while the tape has listeners. */
export interface NodeRecord {
  /** Records what `kubectl get pod` shows, unless it repeats the pod's last row. */
  row(pod: Pod, status: PodApiStatus): void;
  event(
    event: Pick<KubeEvent, 'pod' | 'namespace' | 'uid' | 'field' | 'type' | 'reason' | 'message' | 'facts'>,
  ): void;
  /** Records the node's view, unless only durations in its message have grown. */
  node(view: NodeView): void;
  log(text: string): void;
  backOff(decision: BackOffDecision): void;
  pleg(report: PlegReport): void;
  probe(report: ProbeReport): void;
  /** Records that the kubelet starts, is killed or exits; `restarts` is the time until its next start, in ms. */
  kubelet(what: EntryOf<'kubelet'>['what'], text?: string, restarts?: number): void;
  pod(what: EntryOf<'pod'>['what'], pod: Pod): void;
}

/** Pods whose last row is remembered; a node runs far fewer. */
const MOST_PODS = 1000;

export function createNodeRecord({ clock, tape, onRow }: NodeRecordOptions): NodeRecord {
  const rows = new Map<string, string>();
  let lastNode = '';
  const write = <K extends Happening['kind']>(kind: K, happening: () => Happening & { kind: K }) => {
    if (tape?.wants(kind)) tape.write(happening());
  };
  return {
    row: (pod, status) => {
      if (onRow === undefined && tape?.wants('row') !== true) return;
      const { ready, status: shown, restarts } = podRow(pod, status, clock.now());
      const text = `${ready} ${shown} ${restarts}`;
      const { uid } = pod.metadata;
      if (rows.get(uid) === text) return;
      rows.delete(uid);
      rows.set(uid, text);
      forgetOldest(rows, MOST_PODS);
      const row = { pod: nameOf(pod), ready, status: shown, restarts };
      write('row', () => ({ kind: 'row', ...row }));
      onRow?.(row);
    },
    event: ({ pod: name, namespace, uid, field, type, reason, message: text, facts }) =>
      write('event', () => ({
        kind: 'event',
        pod: { name, namespace, uid },
        field,
        type,
        reason,
        text,
        ...facts,
      })),
    node: ({ ready, reason, message, problems, taint, evicting }) => {
      const news = `${ready} ${taint} ${evicting} ${withoutTimes(message)}`;
      if (news === lastNode) return;
      lastNode = news;
      write('node', () => ({
        kind: 'node',
        ready,
        reason,
        text: message,
        ...(problems.length > 0 && { problems: [...problems] }),
        ...(taint && { taint }),
        evicting,
      }));
    },
    log: (text) => write('log', () => ({ kind: 'log', from: 'kubelet', text })),
    backOff: ({ pod, container, waits, finishedAt, delay }) =>
      write('backoff', () => ({
        kind: 'backoff',
        pod,
        container: { name: container },
        waits,
        delay: Math.round(delay * 1e6),
        ...(finishedAt !== undefined && { endedAgo: Number(clock.now() - finishedAt) }),
      })),
    pleg: ({ state, text, seconds }) =>
      write('pleg', () => ({
        kind: 'pleg',
        state,
        ...(text !== undefined && { text }),
        ...(seconds !== undefined && { duration: Math.round(seconds * 1e9) }),
      })),
    probe: ({ pod, container, kind, outcome, output }) =>
      write('probe', () => ({
        kind: 'probe',
        pod,
        container: { name: container },
        probe: kind,
        outcome,
        ...(output !== '' && { text: output }),
      })),
    kubelet: (what, text, restarts) =>
      write('kubelet', () => ({
        kind: 'kubelet',
        what,
        ...(text !== undefined && { text }),
        ...(restarts !== undefined && { restarts: restarts * 1e6 }),
      })),
    pod: (what, pod) => {
      if (what === 'gone') rows.delete(pod.metadata.uid);
      write('pod', () => ({ kind: 'pod', pod: nameOf(pod), what }));
    },
  };
}

const nameOf = ({ metadata: { name, namespace, uid } }: Pod): PodName => ({ name, namespace, uid });
