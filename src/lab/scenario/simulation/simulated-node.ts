import type { Clock } from '../../../base/clock/clock.js';
import { createNodeHost, type NodeHost } from '../../../kubelet/hosts/host.js';
import type { KubeletKind } from '../../../kubelet/hosts/kubelet.js';
import type { ShownPod } from '../../../kubelet/hosts/services.js';
import { type KubeletSettings, kubeletSettings } from '../../../kubelet/hosts/settings.js';
import type { Pod } from '../../../kubelet/kubernetes/pod.js';
import type { PodApiStatus } from '../../../kubelet/kubernetes/pod-status.js';
import type { NodeView } from '../../../kubelet/node/control-plane.js';
import { createControlPlane } from '../../../kubelet/node/control-plane.js';
import { isTerminal } from '../../../kubelet/status/phase.js';
import { podText } from '../../../tape/pod-text.js';
import type { LoadedScenario } from '../file/loaded-scenario.js';
import type { RunWriter } from './run-writer.js';
import { createScenarioPods, type ScenarioPods } from './scenario-pods.js';

/** Delay in ms before systemd restarts an exited kubelet (RestartSec in kubeadm's kubelet.service). */
const RESTART_DELAY = 10_000;

/** Throws InputError for settings that the kubelet would refuse. */
export const scenarioKubelet = ({ kubelet, file, ownKubelet }: LoadedScenario): KubeletSettings =>
  kubeletSettings({
    version: kubelet.version,
    config: { fields: kubelet.config, file },
    gates: kubelet.featureGates,
    gatesSource: file,
    evented: kubelet.evented,
    ownKubelet,
  });

export interface SimulatedNodeOptions {
  readonly scenario: LoadedScenario;
  readonly settings: KubeletSettings;
  readonly clock: Clock;
  readonly record: RunWriter;
  readonly kubelet: (pods: ScenarioPods) => KubeletKind;
}

export interface SimulatedNode {
  readonly pods: Pick<ScenarioPods, 'add' | 'remove'>;
  readonly host: NodeHost;
  shown(): readonly ShownPod[];
  podOf(uid: string): Pod | undefined;
  stop(): void;
}

export function createSimulatedNode(options: SimulatedNodeOptions): SimulatedNode {
  const { scenario, settings, clock, record } = options;
  const statuses = new Map<string, PodApiStatus>();
  const isOver = ({ metadata }: Pod): boolean => isTerminal(statuses.get(metadata.uid)?.phase);
  const gone = (pod: Pod): void => {
    const { uid } = pod.metadata;
    record.pod('gone', pod);
    statuses.delete(uid);
    pods.finished(uid);
  };
  const pods: ScenarioPods = createScenarioPods(scenario, clock.now, {
    status: (uid) => statuses.get(uid),
    isOver,
    ended: (pod) => record.pod('deleted', pod),
    // A deletion shows in the API without waiting for the kubelet.
    deleted: (pod) => {
      const status = statuses.get(pod.metadata.uid);
      if (status !== undefined) record.row(pod, status);
    },
    gone,
  });
  let evicting = false;
  const watch = (view: NodeView): void => {
    record.node(view);
    if (view.evicting && !evicting) evict();
    evicting = view.evicting;
  };
  /** The taint manager deletes pods that don't tolerate the taint (pkg/controller/tainteviction). */
  const evict = (): void => {
    for (const { metadata } of pods.evictable()) {
      const { name, namespace, uid } = metadata;
      record.event({
        pod: name,
        namespace,
        uid,
        field: '',
        type: 'Normal',
        reason: 'TaintManagerEviction',
        message: `Marking for deletion Pod ${namespace}/${name}`,
      });
      pods.remove(podText(metadata));
    }
  };
  const controlPlane = createControlPlane({
    clock,
    gracePeriod: settings.version.nodeMonitorGracePeriod * 1000,
    changed: watch,
  });
  const host = createNodeHost({
    clock,
    record,
    kubelet: options.kubelet(pods),
    recordsReady: false,
    restartsAfter: RESTART_DELAY,
    statusSink: {
      status: (pod, status) => void statuses.set(pod.metadata.uid, status),
      finished: (pod) => {
        if (pod.metadata.deletionTimestamp !== undefined) gone(pod);
      },
    },
    begin: () => ({
      onHeartbeat: (report) => (report === undefined ? controlPlane.renew() : controlPlane.report(report)),
    }),
  });
  return {
    pods,
    host,
    shown: () =>
      pods.all().flatMap((pod) => {
        const status = statuses.get(pod.metadata.uid);
        return status === undefined ? [] : [{ pod, status }];
      }),
    podOf: (uid) => pods.all().find(({ metadata }) => metadata.uid === uid),
    stop: () => {
      host.kill();
      controlPlane.stop();
    },
  };
}
