import type { Clock, Timer } from '../clock/clock.js';
import type { CriClient } from '../cri/client/client.js';
import { formatDuration } from '../input/duration.js';
import type { KubeletFiles } from '../kubelet/disk/files.js';
import { createKubelet, type Kubelet } from '../kubelet/kubelet.js';
import { createKubeletMetrics, type KubeletMetrics } from '../kubelet/metrics/metrics.js';
import { createControlPlane, type NodeView } from '../kubelet/node/control-plane.js';
import { createResizeCheckpoints } from '../kubelet/resources/resource-record.js';
import { isTerminal } from '../kubelet/status/phase.js';
import { podRow } from '../kubelet/status/row.js';
import type { Pod, PodApiStatus } from '../kubelet/types.js';
import { type KubeletSettings, kubeletSettings } from '../node/settings.js';
import type { Random } from '../random/random.js';
import type { LoadedScenario } from './loaded-scenario.js';
import { createScenarioPods, type ScenarioPods } from './pods.js';
import { goneText, KUBELET_EXIT } from './run.js';
import type { RunWriter } from './run-writer.js';

/** How long systemd waits before it starts a kubelet that has exited, in ms (RestartSec in kubeadm's kubelet.service). */
const RESTART_DELAY = 10_000;

/** The kubelet of a scenario, or another version of it. Throws InputError for what it would refuse. */
export const scenarioKubelet = ({ kubelet, file }: LoadedScenario, version?: string): KubeletSettings =>
  kubeletSettings({
    version: version ?? kubelet.version,
    config: { fields: kubelet.config, file },
    gates: kubelet.featureGates,
    gatesSource: file,
    evented: kubelet.evented,
  });

/** What the kubelet's side is made of. */
export interface SimulatedNodeOptions {
  readonly scenario: LoadedScenario;
  /** Overrides the scenario's. */
  readonly kubeletVersion?: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly cri: CriClient;
  readonly files: KubeletFiles;
  readonly record: RunWriter;
}

/** The node's side of a simulation: pods, a kubelet that comes and goes, and the control plane that watches it. */
export interface SimulatedNode {
  readonly pods: Pick<ScenarioPods, 'add' | 'remove'>;
  /** Resolves when it runs, or has exited because the runtime refused its first call; then it is restarted later. */
  startKubelet(): Promise<void>;
  killKubelet(): void;
  /** The thin kubelet while it runs. */
  readonly kubelet?: Pick<Kubelet, 'isIdle' | 'hasten'> | undefined;
  /** Prometheus text of the kubelet's metrics; empty without a kubelet. */
  metrics(): Promise<string>;
  stop(): void;
}

/**
 * A node whose kubelet has not been started. Throws InputError for a kubelet version or configuration that is wrong.
 */
export function createSimulatedNode(options: SimulatedNodeOptions): SimulatedNode {
  const { scenario, kubeletVersion, clock, random, cri, files, record } = options;
  const { profile, config } = scenarioKubelet(scenario, kubeletVersion);
  const statuses = new Map<string, PodApiStatus>();
  const show = (pod: Pod, status: PodApiStatus): void => {
    statuses.set(pod.metadata.uid, status);
    const { name, ready, status: text, restarts } = podRow(pod, status, clock.now());
    record.row({ pod: name, ready, status: text, restarts });
  };
  /** What the API shows of a deletion does not wait for the kubelet. */
  const deleted = (pod: Pod): void => {
    const status = statuses.get(pod.metadata.uid);
    if (status !== undefined) show(pod, status);
  };
  const isOver = ({ metadata }: Pod): boolean => isTerminal(statuses.get(metadata.uid)?.phase);
  const gone = ({ metadata }: Pod): void => {
    record.step(goneText(metadata.name));
    statuses.delete(metadata.uid);
    pods.finished(metadata.uid);
  };
  const pods: ScenarioPods = createScenarioPods(scenario, clock.now, { isOver, deleted, gone });
  let evicting = false;
  const watch = (view: NodeView): void => {
    record.node(view);
    if (view.evicting && !evicting) evict();
    evicting = view.evicting;
  };
  /** The taint manager deletes what does not tolerate the taint (pkg/controller/tainteviction). */
  const evict = (): void => {
    for (const pod of pods.evictable()) {
      record.event({
        pod: pod.metadata.name,
        field: '',
        type: 'Normal',
        reason: 'TaintManagerEviction',
        message: `Marking for deletion Pod ${pod.metadata.namespace}/${pod.metadata.name}`,
      });
      pods.remove(pod.metadata.name);
    }
  };
  const controlPlane = createControlPlane({
    clock,
    gracePeriod: profile.nodeMonitorGracePeriod * 1000,
    changed: watch,
  });
  let kubelet: Kubelet | undefined;
  let metrics: KubeletMetrics | undefined;
  let lives = 0;
  const checkpoints = createResizeCheckpoints();

  let restart: Timer | undefined;

  const startKubelet = async (): Promise<void> => {
    killKubelet();
    metrics = createKubeletMetrics(profile.minor);
    const started = createKubelet({
      cri,
      clock,
      random: random.fork(`kubelet-${lives++}`),
      profile,
      config,
      podSource: pods,
      files,
      checkpoints,
      metrics: metrics.pleg,
      eventSink: record,
      statusSink: {
        status: show,
        finished: (pod) => pod.metadata.deletionTimestamp !== undefined && gone(pod),
      },
      onHeartbeat: (report) => (report === undefined ? controlPlane.renew() : controlPlane.report(report)),
      onBackOff: record.backOff,
      onPleg: record.pleg,
      onProbe: record.probe,
      log: record.log,
    });
    kubelet = started;
    try {
      await started.start();
    } catch (error) {
      // Stopped or replaced from outside: it did not exit.
      if (kubelet !== started) return;
      killKubelet();
      const again = formatDuration(RESTART_DELAY);
      record.step(
        `${KUBELET_EXIT}${(error as Error).message}; the service manager restarts it after ${again}`,
      );
      restart = clock.setTimer(RESTART_DELAY, startKubelet);
    }
  };
  const killKubelet = () => {
    restart?.cancel();
    kubelet?.stop();
    kubelet = undefined;
  };
  return {
    pods,
    startKubelet,
    killKubelet,
    get kubelet() {
      return kubelet;
    },
    metrics: async () => (await metrics?.render()) ?? '',
    stop: () => {
      killKubelet();
      controlPlane.stop();
    },
  };
}
