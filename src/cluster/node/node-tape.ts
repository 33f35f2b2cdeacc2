import type { Clock } from '../../clock/clock.js';
import type { KubeletOptions } from '../../kubelet/kubelet-options.js';
import { podRow } from '../../kubelet/status/row.js';
import type { Pod, PodApiStatus } from '../../kubelet/types.js';
import { createKubeletTape } from '../../scenario/kubelet-tape.js';
import type { PodName } from '../../tape/entries.js';
import type { Tape } from '../../tape/tape.js';
import type { NodePod } from './cluster-node.js';

/** What of a kubelet goes onto its node's tape. */
type RecordedSinks = Pick<
  KubeletOptions,
  'eventSink' | 'statusSink' | 'onNode' | 'onBackOff' | 'onPleg' | 'onProbe'
>;

/** What a node's tape needs. */
export interface NodeTapeOptions {
  readonly tape: Tape;
  readonly clock: Clock;
  /** The kubelet's pods. */
  readonly pods: () => readonly NodePod[];
}

/** Writes what the kubelet of a node shows and decides onto the node's tape, while somebody listens to it. */
export interface NodeTape {
  log(text: string): void;
  /** The sinks of a kubelet, which write onto the tape and pass on what they get. */
  sinks(given: Pick<KubeletOptions, 'eventSink' | 'statusSink'>): RecordedSinks;
}

/** Has written no row. */
export function createNodeTape({ tape, clock, pods }: NodeTapeOptions): NodeTape {
  const rows = new Map<string, string>();
  const podOf = (name: string, uid?: string): PodName => {
    const found = pods().find(({ pod }) => pod.metadata.uid === uid)?.pod;
    return found === undefined ? { name, namespace: 'default', ...(uid && { uid }) } : nameOf(found);
  };
  const kubelet = createKubeletTape({ tape, clock, podOf });
  /** A row that repeats the last one of its pod is left out. */
  const row = (pod: Pod, status: PodApiStatus) => {
    if (!tape.wants('row')) return;
    const { ready, status: text, restarts } = podRow(pod, status, clock.now());
    const { uid } = pod.metadata;
    if (rows.get(uid) === `${ready} ${text} ${restarts}`) return;
    rows.set(uid, `${ready} ${text} ${restarts}`);
    tape.write({ kind: 'row', pod: nameOf(pod), ready, status: text, restarts });
  };
  return {
    log: kubelet.log,
    sinks: ({ eventSink, statusSink }) => ({
      eventSink: {
        event: (event) => {
          const { pod: name, namespace, uid, field, type, reason, message: text } = event;
          const pod = { name, namespace, uid };
          if (tape.wants('event')) tape.write({ kind: 'event', pod, field, type, reason, text });
          eventSink?.event(event);
        },
      },
      statusSink: {
        status: (pod, status) => {
          row(pod, status);
          statusSink?.status(pod, status);
        },
        ending: (pod, status) => {
          row(pod, status);
          statusSink?.ending?.(pod, status);
        },
        finished: (pod) => {
          rows.delete(pod.metadata.uid);
          statusSink?.finished?.(pod);
        },
      },
      onNode: ({ status, reason, message }) =>
        kubelet.node({ ready: status, reason, message, taint: undefined, evicting: false }),
      onBackOff: kubelet.backOff,
      onPleg: kubelet.pleg,
      onProbe: kubelet.probe,
    }),
  };
}

const nameOf = ({ metadata: { name, namespace, uid } }: Pod): PodName => ({ name, namespace, uid });
