import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../../../src/base/clock/clock.js';
import { createVirtualClock } from '../../../../src/base/clock/virtual-clock.js';
import { SimulatedNetwork } from '../../../../src/base/network/network.js';
import { createRandom } from '../../../../src/base/random/random.js';
import type { CriClient } from '../../../../src/cri/client/client.js';
import { clientOf } from '../../../../src/cri/client/in-process.js';
import { createNodeFiles } from '../../../../src/kubelet/disk/node-files.js';
import { createNodeHost } from '../../../../src/kubelet/hosts/host.js';
import { createNodeRecord } from '../../../../src/kubelet/hosts/record.js';
import { kubeletSettings } from '../../../../src/kubelet/hosts/settings.js';
import { thinKubelet } from '../../../../src/kubelet/hosts/thin.js';
import type { Pod } from '../../../../src/kubelet/kubernetes/pod.js';
import { podListJson } from '../../../../src/kubelet/kubernetes/pod-list-json.js';
import { parseManifest } from '../../../../src/kubelet/pods/manifest.js';
import { HostDisk } from '../../../../src/linux/fs/node-disk.js';
import { withLatency } from '../../../../src/runtime/assembly/latency.js';
import { createRuntime } from '../../../../src/runtime/engine/runtime.js';
import { usualLatency } from '../../../../src/runtime/profiles/latency/latency.js';
import { statusOf } from '../../../../src/runtime/server/status.js';
import { podsByHand } from '../../kubelet/pods-by-hand.js';
import { createRecordedNode } from '../node.js';
import { NODE, type PodPlan, play, STAGGER } from './manifests.js';
import { createHistoryRecord, type HistoryRecording } from './record.js';

/** Run time of the kubelet before the first manifest (ms). */
const START = 5000;
/** Time for the pods to end, in ms. */
const END = 45_000;
/** When a new pod is sampled even without a status (ms). */
const SOON = 50;

interface PodHistoryOptions {
  readonly cri: CriClient;
  readonly clock: Clock;
  /** In ms. */
  readonly pass: (duration: number) => Promise<void>;
  /** Seed of the kubelet's jitter. Default: 1. */
  readonly seed?: number | undefined;
  /** Version of the kubelet. Default: the thin kubelet's default. */
  readonly version?: string | undefined;
}

/** Records the histories of pods under the thin kubelet on a runtime, for the given seconds. */
export async function runPods(
  plans: readonly PodPlan[],
  seconds: number,
  { cri, clock, pass, seed = 1, version }: PodHistoryOptions,
): Promise<HistoryRecording> {
  const directory = await mkdtemp(join(tmpdir(), 'mockri-histories-'));
  const record = createHistoryRecord(() => clock.elapsed());
  const show = (shown: Parameters<typeof podListJson>[0]) => {
    for (const pod of podListJson(shown).items) record.status(pod);
  };
  let pods: readonly Pod[] = [];
  const { podSource, deliver } = podsByHand(pods);
  const host = createNodeHost({
    clock,
    record: createNodeRecord({ clock }),
    kubelet: thinKubelet({
      cri,
      clock,
      network: new SimulatedNetwork({ clock }),
      random: createRandom(seed),
      settings: kubeletSettings({ version }),
      podSource,
      files: createNodeFiles({ rootDir: directory, podLogsDir: join(directory, 'logs') }),
    }),
    eventSink: record,
    statusSink: { status: (pod, status) => show([{ pod, status }]) },
  });
  const change = (next: readonly Pod[]) => {
    const names = new Set(next.map(({ metadata }) => metadata.name));
    for (const { metadata } of pods) if (!names.has(metadata.name)) record.gone(metadata.name);
    pods = next;
    deliver(pods);
    clock.setTimer(SOON, () => show(host.pods()));
  };
  const read = (manifest: string) =>
    parseManifest(manifest, 'pods.yaml', { nodeName: NODE, now: clock.now() }).pods;

  const started = clock.run(host.start);
  await pass(START);
  await started;
  const nameOf = ({ name }: PodPlan) => `${name}-${NODE}`;
  const others = (plan: PodPlan) => pods.filter(({ metadata }) => metadata.name !== nameOf(plan));
  play(plans, {
    at: (delay, act) => void clock.setTimer(delay, act),
    put: (plan, manifest, isNew) => {
      if (isNew) record.begin(nameOf(plan));
      change([...others(plan), ...read(manifest)]);
    },
    remove: (plan) => change(others(plan)),
  });
  await pass(plans.length * STAGGER + seconds * 1000);
  const recording = structuredClone(record.result());
  change([]);
  await pass(END);
  host.kill();
  await rm(directory, { recursive: true, force: true });
  return recording;
}

/** With the memory backend in virtual time. */
export async function simulatePods(
  plans: readonly PodPlan[],
  seconds: number,
  version?: string,
  seed?: number,
): Promise<HistoryRecording> {
  const clock = createVirtualClock();
  const backend = withLatency(
    createRecordedNode({ clock, disk: new HostDisk() }),
    clock,
    createRandom('latency'),
    usualLatency,
  );
  const runtime = await createRuntime({ backend, clock });
  const codeOf = (error: unknown) => statusOf(error, String).code;
  const cri = clientOf(runtime.service, { clock, codeOf });
  const pass = (duration: number) => clock.advance(duration);
  const recording = await runPods(plans, seconds, { cri, clock, pass, version, seed });
  await clock.settle();
  await runtime.close();
  return recording;
}
