import type { Clock, Timer } from '../../base/clock/clock.js';
import type { KubeletOptions } from '../kubelet-options.js';
import type { KubeletKind, KubeletReports, NodeKubelet, NodePod } from './kubelet.js';
import type { NodeRecord } from './record.js';

export interface NodeHostOptions extends Pick<KubeletOptions, 'statusSink' | 'eventSink' | 'onNode' | 'log'> {
  readonly clock: Clock;
  readonly kubelet: KubeletKind;
  /** Receives what the kubelet reports, before the sinks do. */
  readonly record: NodeRecord;
  /** Called at each start of the kubelet. Default: no control plane. */
  readonly begin?: (() => ControlPlaneLink) | undefined;
  /** Default true; false where the control plane's view of the Ready condition is recorded. */
  readonly recordsReady?: boolean;
  /**
   * Restart delay in ms after an exit, like systemd's RestartSec. Default: no restart; an early exit rejects `start`.
   */
  readonly restartsAfter?: number | undefined;
}

export interface ControlPlaneLink extends Pick<KubeletOptions, 'onHeartbeat'> {
  end?(): void;
}

export interface NodeHost {
  /** The kubelet finds the pods that the runtime still has. Resolves when it runs. Does nothing while it runs. */
  start(): Promise<void>;
  /** Kills the kubelet like SIGKILL. Pods keep running. */
  kill(): void;
  restart(): Promise<void>;
  /** Undefined while none runs. */
  readonly kubelet: NodeKubelet | undefined;
  /** Empty while no kubelet runs. */
  pods(): readonly NodePod[];
  /** Metrics of the running or the last kubelet; empty before the first. */
  metrics(): Promise<string>;
}

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
      // It was killed or replaced in the meantime; it did not exit.
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
