import { basename, dirname, join, resolve } from 'node:path';
import type { Clock } from '../../base/clock/clock.js';
import { createRealClock } from '../../base/clock/real-clock.js';
import { removeBelow, rootAt } from '../../base/host/pinned.js';
import { makeTemporaryDirectory } from '../../base/input/temporary-directory.js';
import { machineNetwork, SimulatedNetwork } from '../../base/network/network.js';
import { createRandom } from '../../base/random/random.js';
import type { CriClient } from '../../cri/client/client.js';
import { connectCri } from '../../cri/client/connect.js';
import { createNodeFiles } from '../../kubelet/disk/node-files.js';
import { createNodeHost } from '../../kubelet/hosts/host.js';
import { createNodeRecord } from '../../kubelet/hosts/record.js';
import { kubeletSettings } from '../../kubelet/hosts/settings.js';
import { thinKubelet } from '../../kubelet/hosts/thin.js';
import type { Pod } from '../../kubelet/kubernetes/pod.js';
import { createGivenPods } from '../../kubelet/pods/given-pods.js';
import { parseManifest } from '../../kubelet/pods/manifest.js';
import { podText } from '../../tape/pod-text.js';
import type { SimulatedEvent, SimulatedRow } from './run/run.js';

/** Options of `startKubelet`; all but the runtime have a default. */
export interface ThinKubeletOptions {
  /** The runtime's endpoint (`unix:///…`, `tcp://…`), or a client such as `mockri.client` of the test kit. */
  readonly runtime: string | CriClient;
  /** Clock of the kubelet: `mockri.clock` for a test on a virtual clock. Default: real time. */
  readonly clock?: Clock;
  /** YAML or JSON. They become static pods: the kubelet appends the node's name to each name. Default: none. */
  readonly manifests?: readonly string[];
  /** Kubelet version to behave like, `1.28` to `1.37`. Default: the newest release. */
  readonly version?: string;
  /** Fields of a KubeletConfiguration, such as `{ syncFrequency: '10s', featureGates: { EventedPLEG: true } }`. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Default `mock-node`. */
  readonly nodeName?: string;
  /** For volumes and logs. Default: a temporary directory that is removed at the end. */
  readonly directory?: string;
  /** Seed of all random numbers; default 1. */
  readonly seed?: number | string;
  /** Whether to remove pods in the runtime that no manifest names, like the kubelet. Default `remove`. */
  readonly orphanedPods?: 'remove' | 'keep';
  /** Called with each line of the kubelet's log. */
  readonly onLog?: (line: string) => void;
}

/** A running thin kubelet. `await using` stops it. */
export interface ThinKubelet extends AsyncDisposable {
  /** What `kubectl get pod -w` would have shown so far; times are seconds since the start. */
  readonly rows: readonly SimulatedRow[];
  /** Kubernetes events so far. */
  readonly events: readonly SimulatedEvent[];
  /** Replaces all pods. Throws InputError for a mistake in a manifest. */
  setManifests(manifests: readonly string[]): void;
  /** Stops immediately, like SIGKILL: pods keep running. Can be called again. */
  stop(): Promise<void>;
}

/**
 * Starts the thin kubelet on a runtime. Rejects with InputError for a wrong version, configuration or manifest, and
 * with the runtime's error if its first call fails.
 *
 * @example
 * await using kubelet = await startKubelet({ runtime: mockri.client, clock: mockri.clock, manifests: [pod] });
 * await mockri.advance('10m');
 */
export async function startKubelet(options: ThinKubeletOptions): Promise<ThinKubelet> {
  const { clock = createRealClock(), runtime, manifests = [], nodeName = 'mock-node', onLog } = options;
  const settings = kubeletSettings({
    version: options.version,
    config: { fields: options.config ?? {}, file: 'config' },
  });
  const read = (texts: readonly string[]): Pod[] =>
    texts.flatMap((text, index) => {
      const mayReferToApi = !settings.version.gates.PreventStaticPodAPIReferences;
      const source = { nodeName, now: clock.now(), path: String(index), mayReferToApi };
      return [...parseManifest(text, `manifests[${index}]`, source).pods];
    });
  const pods = createGivenPods();
  pods.set(read(manifests));
  const begun = clock.now();
  const seconds = () => Math.round(Number(clock.now() - begun) / 1e6) / 1000;
  const rows: SimulatedRow[] = [];
  const events: SimulatedEvent[] = [];
  const directory = resolve(options.directory ?? makeTemporaryDirectory('mockri-kubelet-'));
  const connection = typeof runtime === 'string' ? connectCri(runtime, { clock }) : undefined;
  const host = createNodeHost({
    clock,
    record: createNodeRecord({
      clock,
      onRow: ({ pod, ...row }) => void rows.push({ t: seconds(), pod: podText(pod), ...row }),
    }),
    kubelet: thinKubelet({
      cri: connection ?? (runtime as CriClient),
      clock,
      // In real time pods have addresses of this machine; on virtual time everything is simulated.
      network: clock.kind === 'real' ? machineNetwork : new SimulatedNetwork({ clock }),
      random: createRandom(options.seed ?? 1),
      settings,
      podSource: pods,
      files: createNodeFiles({ rootDir: directory, podLogsDir: join(directory, 'logs') }),
      orphanedPods: { keep: options.orphanedPods === 'keep', onStop: () => {} },
    }),
    eventSink: {
      event: ({ pod: name, namespace, field, type, reason, message }) =>
        void events.push({ t: seconds(), pod: podText({ name, namespace }), field, type, reason, message }),
    },
    ...(onLog && { log: onLog }),
  });
  const stop = async (): Promise<void> => {
    host.kill();
    connection?.close();
    if (options.directory === undefined)
      await removeBelow(await rootAt(dirname(directory)), [basename(directory)]);
  };
  try {
    await clock.run(host.start);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    rows,
    events,
    setManifests: (texts) => pods.set(read(texts)),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
