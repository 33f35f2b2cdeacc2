// Memory of the nodes of `mockri node`, without the API server's side: argument 1 is a number of nodes, argument 2 of pods
// on each. Prints as JSON the KiB in use after a collection, per node without pods and per pod. Needs --expose-gc.
import { createVirtualClock } from '../../dist/src/base/clock/virtual-clock.js';
import { createRandom } from '../../dist/src/base/random/random.js';
import { openNode } from '../../dist/src/cluster/node/open-node.js';
import { noFiles } from '../../dist/src/kubelet/disk/files.js';
import { kubeletSettings } from '../../dist/src/kubelet/hosts/settings.js';
import { parseManifest } from '../../dist/src/kubelet/pods/manifest.js';

const [nodeCount = 20, podsEach = 50] = process.argv.slice(2).map(Number);
/** Pods on each node that make the programs warm and do not count. */
const WARM = 10;
const clock = createVirtualClock();
const nodes = [];
const deliveries = [];

function used() {
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1024;
}

async function addNode(name) {
  const node = await openNode({
    name,
    clock,
    random: createRandom(name),
    settings: kubeletSettings({ version: '1.36' }),
    files: noFiles,
    podSource: {
      start: (deliver) => {
        deliveries.push(deliver);
        deliver([]);
        return () => {};
      },
    },
    eventSink: { event: () => {} },
  });
  nodes.push(node);
  const started = clock.run(node.startKubelet);
  await clock.advance(2000);
  await started;
}

function manifest(name) {
  const containers = [{ name: 'pause', image: 'registry.k8s.io/pause:3.10' }];
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, uid: name }, spec: { containers } };
  return parseManifest(JSON.stringify(pod), 'bench', { nodeName: 'mock', now: clock.now() }).pods;
}

/** Pods of each node. */
const pods = [];

/** Gives each node so many pods, and waits until all run. */
async function havePods(count) {
  for (const [index, own] of pods.entries()) {
    while (own.length < count) own.push(...manifest(`load-${index}-${own.length}`));
    deliveries[index]([...own]);
  }
  await clock.advance(120_000);
  const running = nodes.flatMap((node) => node.pods()).filter(({ status }) => status?.phase === 'Running');
  if (running.length !== nodes.length * count) throw new Error(`only ${running.length} pods are Running`);
}

await addNode('mock-warm');
const before = used();
for (let index = 0; index < nodeCount; index++) await addNode(`mock-${index}`);
await clock.advance(30_000);
const perNode = (used() - before) / nodeCount;
pods.push(...nodes.map(() => []));
await havePods(WARM);
const warm = used();
await havePods(podsEach);
const perPod = (used() - warm) / ((podsEach - WARM) * nodes.length);
console.log(JSON.stringify({ perNode, perPod }));
process.exit(0);
