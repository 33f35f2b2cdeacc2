import type { Clock, Timer } from '../../base/clock/clock.js';
import type { NodeProblem } from '../types/reports.js';
import type { NodeReady } from './node-status.js';

/** The control plane's view of a node; `Unknown` if heartbeats are missing. */
export interface NodeView {
  readonly ready: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  /** Why the node is not ready, if the kubelet reported it. */
  readonly problems: readonly NodeProblem[];
  readonly taint: 'node.kubernetes.io/not-ready' | 'node.kubernetes.io/unreachable' | undefined;
  /** Pods with the default toleration are being evicted. */
  readonly evicting: boolean;
}

/** Default tolerationSeconds of not-ready and unreachable, in ms. */
const TOLERATION = 300_000;

export interface ControlPlaneOptions {
  readonly clock: Clock;
  /** node-monitor-grace-period in ms. */
  readonly gracePeriod: number;
  readonly changed: (view: NodeView) => void;
}

/** A model of the node controller, for the timeline only: the kubelet does not depend on it. */
export function createControlPlane({ clock, gracePeriod, changed }: ControlPlaneOptions) {
  let view: NodeView | undefined;
  let silence: Timer | undefined;
  let eviction: Timer | undefined;

  const show = (next: Omit<NodeView, 'evicting'>): void => {
    if (view?.ready === next.ready && view.message === next.message) return;
    const tainted = view?.taint !== undefined;
    view = { ...next, evicting: next.taint !== undefined && view?.evicting === true };
    if (next.taint === undefined) eviction?.cancel();
    else if (!tainted) eviction = clock.setTimer(TOLERATION, evict);
    changed(view);
  };

  const evict = (): void => {
    if (view === undefined) return;
    view = { ...view, evicting: true };
    changed(view);
  };

  const listen = (): void => {
    silence?.cancel();
    silence = clock.setTimer(gracePeriod, () =>
      show({
        ready: 'Unknown',
        reason: 'NodeStatusUnknown',
        message: 'Kubelet stopped posting node status.',
        problems: [],
        taint: 'node.kubernetes.io/unreachable',
      }),
    );
  };

  return {
    report: ({ status, reason, message, problems }: NodeReady): void => {
      listen();
      show({
        ready: status,
        reason,
        message,
        problems,
        taint: status === 'True' ? undefined : 'node.kubernetes.io/not-ready',
      });
    },
    renew: listen,
    stop: (): void => {
      silence?.cancel();
      eviction?.cancel();
    },
  };
}
