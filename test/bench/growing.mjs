// growing.mjs containers|nodes COUNT: prints the processor time in µs that so many running containers take from their creation to
// the status of each (a list of 50,000 has more than the 16 MiB of a message), or so many nodes without pods for ten minutes of virtual time.
import { createMemoryBackend } from '../../dist/adapters/memory/memory-backend.js';
import { createRealClock } from '../../dist/src/base/clock/real-clock.js';
import { createVirtualClock } from '../../dist/src/base/clock/virtual-clock.js';
import { createRandom } from '../../dist/src/base/random/random.js';
import { openNode } from '../../dist/src/cluster/node/open-node.js';
import { clientOf } from '../../dist/src/cri/client/in-process.js';
import { noFiles } from '../../dist/src/kubelet/disk/files.js';
import { kubeletSettings } from '../../dist/src/kubelet/hosts/settings.js';
import { createRuntime } from '../../dist/src/runtime/engine/runtime.js';

const [kind, given] = process.argv.slice(2);
const count = Number(given);
const image = 'registry.k8s.io/e2e-test-images/busybox:1.29-2';

async function containers() {
  const clock = createRealClock();
  const { service } = await createRuntime({ backend: createMemoryBackend({ clock }), clock });
  const cri = clientOf(service, { clock, codeOf: () => 2 });
  await cri.pullImage({ image: { image } });
  const ids = [];
  for (let index = 0; index < count; index++) {
    const config = {
      metadata: { name: `pod-${index}`, namespace: 'default', uid: `uid-${index}`, attempt: 0 },
    };
    const { podSandboxId } = await cri.runPodSandbox({ config });
    const { containerId } = await cri.createContainer({
      podSandboxId,
      config: { metadata: { name: 'app', attempt: 0 }, image: { image }, command: ['sleep', '1000000'] },
      sandboxConfig: config,
    });
    await cri.startContainer({ containerId });
    ids.push(containerId);
  }
  for (const containerId of ids) await cri.containerStatus({ containerId });
}

async function nodes() {
  const clock = createVirtualClock();
  for (let index = 0; index < count; index++) {
    const node = await openNode({
      name: `mock-${index}`,
      clock,
      random: createRandom(index),
      settings: kubeletSettings({ version: '1.36' }),
      files: noFiles,
      podSource: {
        start: (deliver) => {
          deliver([]);
          return () => {};
        },
      },
      eventSink: { event: () => {} },
    });
    const started = clock.run(node.startKubelet);
    await clock.advance(10);
    await started;
  }
  await clock.advance(600_000);
}

const before = process.cpuUsage();
await { containers, nodes }[kind]();
const { user, system } = process.cpuUsage(before);
console.log(user + system);
process.exit(0);
