import type { Clock, Timer } from '../../base/clock/clock.js';
import type { KubeletOptions } from '../kubelet-options.js';
import type { KubeletKind, KubeletReports, NodeKubelet, NodePod } from './kubelet.js';
import type { NodeRecord } from './record.js';

/** What a host of a kubelet is made of. */
export interface NodeHostOptions extends Pick<KubeletOptions, 'statusSink' | 'eventSink' | 'onNode' | 'log'> {
  readonly clock: Clock;
  readonly kubelet: KubeletKind;
  /** Gets what the kubelet shows and decides, before the sinks do. */
  readonly record: NodeRecord;
  /** Called at each start of the kubelet. Default: no control plane watches it. */
  readonly begin?: (() => ControlPlaneLink) | undefined;
  /** Whether the record has the node as the kubelet reports it. Default true; false where a control plane's view is kept. */
  readonly recordsReady?: boolean;
  /**
   * Time after which the service manager starts a kubelet that has exited, in ms, as RestartSec of systemd. Default: nobody
   * does, and an exit at the start rejects it.
   */
  readonly restartsAfter?: number | undefined;
}

/** What a kubelet tells its control plane from a start to its end. */
export interface ControlPlaneLink extends Pick<KubeletOptions, 'onHeartbeat'> {
  /** The kubelet has ended, or was killed. */
  end?(): void;
}

/** Where a kubelet runs: it comes, goes and comes again. */
export interface NodeHost {
  /** Starts the kubelet, which finds the pods that the runtime still has. Resolves when it runs. Does nothing while it runs. */
  start(): Promise<void>;
  /** Ends the kubelet as SIGKILL does. Pods keep running. */
  kill(): void;
  /** Kills it, and starts it again. */
  restart(): Promise<void>;
  /** The kubelet while it runs. */
  readonly kubelet: NodeKubelet | undefined;
  /** The kubelet's pods; empty while it does not run. */
  pods(): readonly NodePod[];
  /** Metrics of the kubelet or, while none runs, of the last one; empty before the first. */
  metrics(): Promise<string>;
}

/** Makes a host; `start` starts its kubelet. */
export function createNodeHost(options: NodeHostOptions): NodeHost {
  const { clock, record, restartsAfter } = options;
  let kubelet: NodeKubelet | undefined;
  let last: NodeKubelet | undefined;
  let link: ControlPlaneLink | undefined;
  let next: Timer | undefined;
  const end = () => {
    next?.cancel();
    kubelet?.kill();
    link?.end?.();
    kubelet = undefined;
    link = undefined;
  };
  const exited = (reason: string) => {
    end();
    record.kubelet('exited', reason, restartsAfter);
    if (restartsAfter !== undefined) next = clock.setTimer(restartsAfter, start);
  };
  const start = async (): Promise<void> => {
    if (kubelet !== undefined) return;
    next?.cancel();
    link = options.begin?.();
    record.kubelet('started');
    const started: NodeKubelet = options.kubelet({
      ...reportsTo(options, link),
      exited: (reason) => {
        if (kubelet === started) exited(reason);
      },
    });
    kubelet = started;
    last = started;
    try {
      await started.start();
    } catch (error) {
      // Killed or replaced meanwhile: it did not exit.
      if (kubelet !== started) return;
      exited((error as Error).message);
      if (restartsAfter === undefined) throw error;
    }
  };
  const kill = () => {
    if (kubelet !== undefined) record.kubelet('killed');
    end();
  };
  return {
    start,
    kill,
    restart: () => {
      kill();
      return start();
    },
    get kubelet() {
      return kubelet;
    },
    pods: () => kubelet?.pods() ?? [],
    metrics: async () => (await last?.metrics()) ?? '',
  };
}

/** What a kubelet tells goes into the record first, and then to who is interested. */
function reportsTo(
  { record, statusSink, eventSink, onNode, log, recordsReady = true }: NodeHostOptions,
  link: ControlPlaneLink | undefined,
): Omit<KubeletReports, 'exited'> {
  const ending = statusSink?.ending;
  return {
    statusSink: {
      status: (pod, status) => {
        record.row(pod, status);
        statusSink?.status(pod, status);
      },
      ...(ending && {
        ending: (pod, status) => {
          record.row(pod, status);
          ending.call(statusSink, pod, status);
        },
      }),
      finished: (pod) => statusSink?.finished?.(pod),
    },
    eventSink: {
      event: (event) => {
        record.event(event);
        eventSink?.event(event);
      },
    },
    onNode: (ready) => {
      const { status, reason, message, problems } = ready;
      if (recordsReady)
        record.node({ ready: status, reason, message, problems, taint: undefined, evicting: false });
      onNode?.(ready);
    },
    onHeartbeat: (report) => link?.onHeartbeat?.(report),
    onBackOff: record.backOff,
    onPleg: record.pleg,
    onProbe: record.probe,
    log: (text) => {
      record.log(text);
      log?.(text);
    },
  };
}
