import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRealClock } from '../../../../src/base/clock/real-clock.js';
import { machineNetwork } from '../../../../src/base/network/network.js';
import { createRandom } from '../../../../src/base/random/random.js';
import { connectCri } from '../../../../src/cri/client/connect.js';
import { ContainerState } from '../../../../src/cri/gen/runtime/v1/api.js';
import { createNodeFiles } from '../../../../src/kubelet/disk/node-files.js';
import { createNodeHost, type NodeHost } from '../../../../src/kubelet/hosts/host.js';
import { createNodeRecord } from '../../../../src/kubelet/hosts/record.js';
import { kubeletSettings } from '../../../../src/kubelet/hosts/settings.js';
import { thinKubelet } from '../../../../src/kubelet/hosts/thin.js';
import type { Pod } from '../../../../src/kubelet/kubernetes/pod.js';
import { parseManifest } from '../../../../src/kubelet/pods/manifest.js';
import { podsByHand } from '../../../support/kubelet/pods-by-hand.js';
import { recordedNames } from '../../../support/recordings/names.js';
import { differences, type Event, type Row, realRecording, recordingPath } from './recording.js';

const NAMES: readonly string[] = recordedNames.filter((name) => name !== 'sigterm-test');
const IMAGE = 'registry.k8s.io/e2e-test-images/busybox:1.29-2';
const RECORD_FOR = 60_000;
const RESTART_FOR = 8_000;
/** The longest grace period of the pods, plus time to stop them. */
const STOP_WITHIN = 45_000;

const endpoint = process.argv[2] ?? '';
const clock = createRealClock();
const cri = connectCri(endpoint);
const directory = await mkdtemp(join(tmpdir(), 'mockri-kubelet-'));
const files = createNodeFiles({ rootDir: directory, podLogsDir: join(directory, 'logs') });
const rows: Row[] = [];
const events: Event[] = [];
let begun = clock.elapsed();
const seconds = () => (clock.elapsed() - begun) / 1000;

function openHost(isRecorded: boolean): { host: NodeHost; deliver: (pods: readonly Pod[]) => void } {
  const { podSource, deliver } = podsByHand(pods);
  const host = createNodeHost({
    clock,
    record: createNodeRecord({
      clock,
      onRow: ({ pod, ready, status, restarts }) => {
        if (isRecorded) rows.push({ t: seconds(), pod: pod.name, ready, status, restarts });
      },
    }),
    kubelet: thinKubelet({
      cri,
      clock,
      network: machineNetwork,
      random: createRandom(1),
      settings: kubeletSettings(),
      podSource,
      files,
    }),
    eventSink: {
      event: ({ pod, field, type, reason, message }) => {
        if (isRecorded) events.push({ t: seconds(), pod, field, type, reason, message });
      },
    },
  });
  return { host, deliver };
}

/** Ids of this run's running containers. */
async function running(): Promise<string[]> {
  const uids = new Set(pods.map(({ metadata }) => metadata.uid));
  const { containers } = await cri.listContainers({});
  const own = containers.filter(({ labels }) => uids.has(labels['io.kubernetes.pod.uid'] ?? ''));
  return own.filter(({ state }) => state === ContainerState.CONTAINER_RUNNING).map(({ id }) => id);
}

const pods: Pod[] = [];
for (const name of NAMES) {
  const text = await readFile(new URL(`manifests/${name}.json`, recordingPath), 'utf8');
  const { pods: parsed } = parseManifest(text, name, { nodeName: 'mock-node', now: clock.now() });
  // A uid for this run only: a kubelet adopts a pod's existing objects in the runtime.
  const uid = randomBytes(16).toString('hex');
  pods.push(...parsed.map((pod) => ({ ...pod, metadata: { ...pod.metadata, uid } })));
}
await cri.waitForReady(5000);
await cri.pullImage({ image: { image: IMAGE } });

const problems: string[] = [];
begun = clock.elapsed();
const first = openHost(true);
await first.host.start();
await clock.sleep(RECORD_FOR);
first.host.kill();
const real = realRecording();
for (const name of NAMES) problems.push(...differences({ rows, events }, real, `${name}-mock-node`));

const steady = pods.find(({ metadata }) => metadata.name === 'steady-mock-node');
const steadyIds = async () => {
  const { containers } = await cri.listContainers({
    filter: { labelSelector: { 'io.kubernetes.pod.uid': steady?.metadata.uid ?? '' } },
  });
  return containers.map(({ id, metadata }) => `${metadata?.name}/${metadata?.attempt} ${id}`).join();
};
const adopted = await steadyIds();
const second = openHost(false);
await second.host.start();
await clock.sleep(RESTART_FOR);
if ((await steadyIds()) !== adopted) problems.push('a restarted kubelet did not leave a running pod alone');

second.deliver([]);
const limit = clock.elapsed() + STOP_WITHIN;
while ((await running()).length > 0 && clock.elapsed() < limit) await clock.sleep(500);
const left = await running();
if (left.length > 0) problems.push(`${left.length} containers still run after their pods were removed`);
await clock.sleep(5000);
second.host.kill();
cri.close();
await rm(directory, { recursive: true, force: true });

for (const problem of problems) console.error(problem);
console.log(
  `${rows.length} rows, ${events.length} events of ${NAMES.length} pods, ${problems.length} differences`,
);
process.exit(problems.length === 0 ? 0 : 1);
