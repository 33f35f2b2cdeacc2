import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryBackend } from '../../../adapters/memory/memory-backend.js';
import { createRandom } from '../../../src/clock/random.js';
import { createVirtualClock } from '../../../src/clock/virtual-clock.js';
import { clientOf } from '../../../src/cri/in-process-client.js';
import { createRuntime } from '../../../src/engine/runtime.js';
import { defaultKubeletConfig } from '../../../src/kubelet/config/kubelet-configuration.js';
import { versionProfile } from '../../../src/kubelet/config/profile.js';
import { createKubelet } from '../../../src/kubelet/kubelet.js';
import { noPlegMetrics } from '../../../src/kubelet/pleg/metrics.js';
import { parseManifest } from '../../../src/kubelet/pods/manifest.js';
import { createNodeFiles } from '../../../src/kubelet/runtime/node-files.js';
import { podListJson } from '../../../src/kubelet/status/api-json.js';
import type { Pod } from '../../../src/kubelet/types.js';
import { usualLatency, withLatency } from '../../../src/scenario/latency.js';
import { statusOf } from '../../../src/server/status.js';
import type { Life } from './manifests.js';
import { createLifeRecord, type LivesRecording } from './record.js';
import type { PodJson } from './tracks.js';

const NODE = 'mock-node';
export const IMAGE = 'registry.k8s.io/e2e-test-images/busybox:1.29-2';

/** The lives under the thin kubelet, on the memory backend in virtual time, for some seconds. */
export async function simulateLives(lives: readonly Life[], seconds: number): Promise<LivesRecording> {
  const clock = createVirtualClock();
  const random = createRandom(1);
  const directory = await mkdtemp(join(tmpdir(), 'mockri-lives-'));
  const nope = 'localhost:5000/nope:1';
  const backend = createMemoryBackend({
    clock,
    pulls: [
      {
        match: nope,
        fail: {
          kind: 'not-found',
          message: `failed to pull and unpack image "${nope}": failed to resolve reference "${nope}": ${nope}: not found`,
        },
      },
    ],
  });
  const runtime = await createRuntime({
    backend: withLatency(backend, clock, random.fork('latency'), usualLatency),
    clock,
  });
  const cri = clientOf(runtime.service, { clock, codeOf: (error) => statusOf(error, 'strict', String).code });
  const record = createLifeRecord(() => clock.elapsed());
  let pods: readonly Pod[] = [];
  let deliver: (pods: readonly Pod[]) => void = () => {};
  const kubelet = createKubelet({
    cri,
    clock,
    random: random.fork('kubelet'),
    profile: versionProfile('1.36'),
    config: defaultKubeletConfig(),
    podSource: {
      start: (accept) => {
        deliver = accept;
        accept(pods);
        return () => {};
      },
    },
    files: createNodeFiles({ rootDir: directory, podLogsDir: join(directory, 'logs') }),
    metrics: noPlegMetrics,
    onEvent: record.event,
    onStatus: (pod, status) =>
      record.status((podListJson([{ pod, status }]) as { items: PodJson[] }).items[0] as PodJson),
  });
  const change = (next: readonly Pod[]) => {
    const gone = pods.filter(({ metadata }) => !next.some((pod) => pod.metadata.name === metadata.name));
    for (const { metadata } of gone) record.gone(metadata.name);
    pods = next;
    deliver(pods);
  };
  const podsOf = (manifest: string) =>
    parseManifest(manifest, 'pods.yaml', { nodeName: NODE, now: clock.now() }).pods;
  const without = ({ name }: Life) => pods.filter(({ metadata }) => metadata.name !== `${name}-${NODE}`);

  const reference = {
    image: IMAGE,
    annotations: {},
    userSpecifiedImage: '',
    runtimeHandler: '',
    imageRef: '',
  };
  const ready = clock.run(async () => {
    await cri.pullImage({ image: reference, auth: undefined, sandboxConfig: undefined }, {});
    await kubelet.start();
  });
  await clock.advance(5000);
  await ready;
  for (const [index, life] of lives.entries()) {
    const at = index * 700;
    clock.setTimer(at, () => {
      record.begin(`${life.name}-${NODE}`);
      change([...pods, ...podsOf(life.manifest)]);
    });
    if (life.removedAt !== undefined) clock.setTimer(at + life.removedAt * 1000, () => change(without(life)));
    if (life.changedAt !== undefined) {
      clock.setTimer(at + life.changedAt * 1000, () => change([...without(life), ...podsOf(life.changed)]));
    }
  }
  await clock.advance(seconds * 1000);
  kubelet.stop();
  await clock.settle();
  await runtime.close();
  await rm(directory, { recursive: true, force: true });
  return record.result();
}
