import { randomUUID } from 'node:crypto';
import { connectCri } from '../src/cri/client/connect.js';
const [endpoint, total = '200', workers = '12'] = process.argv.slice(2);
const cri = connectCri(endpoint!);
await cri.waitForReady(5000);
const IMAGE = 'registry.k8s.io/e2e-test-images/busybox:1.29-2';
await cri.pullImage({ image: { image: IMAGE } });
const sleep = (ms: number) => new Promise((r) => setTimeout(r, ms));
const plain = (x: unknown) => String((x as Error).message ?? x).replace(/[0-9a-f]{64}/g, 'ID').slice(0, 160);
const texts = new Map<string, number>(); const add = (t: string) => texts.set(t, (texts.get(t) ?? 0) + 1);
let n = 0;
async function work() {
  while (n++ < Number(total)) {
    const name = randomUUID().slice(0, 8);
    const sandboxConfig = { metadata: { name, uid: name, namespace: 'default', attempt: 0 }, linux: {}, logDirectory: '/tmp/w/logs' };
    const { podSandboxId } = await cri.runPodSandbox({ config: sandboxConfig });
    const { containerId } = await cri.createContainer({ podSandboxId, sandboxConfig, config: { metadata: { name: 'c', attempt: 0 }, image: { image: IMAGE }, command: ['sleep', '100000'], logPath: 'c.log', linux: {} } });
    const offset = Math.floor(Math.random() * 400) - 150;
    const start = sleep(Math.max(0, -offset)).then(() => cri.startContainer({ containerId }));
    const stop = sleep(Math.max(0, offset)).then(() => cri.stopPodSandbox({ podSandboxId }));
    const [a, b] = await Promise.allSettled([start, stop]);
    add(`${a.status === 'fulfilled' ? 'start ok' : plain(a.reason).slice(0, 70)} / stop ${b.status}`);
    const { status } = await cri.containerStatus({ containerId });
    if (status?.state === 1) {
      const t0 = Date.now(); let until = 'ever';
      const r = await cri.removePodSandbox({ podSandboxId }).then(() => 'removed', plain);
      for (let k = 0; k < 40 && r !== 'removed'; k++) {
        const s = (await cri.containerStatus({ containerId }).catch(() => ({ status: undefined }))).status;
        if (s?.state !== 1) { until = `${Date.now() - t0} ms`; break; }
        await sleep(250);
      }
      add(`RUNNING, offset ${offset}; remove: ${r}; running for ${until}`);
      if (r !== 'removed') add(`again: ${await cri.removePodSandbox({ podSandboxId }).then(() => 'removed', plain)}`);
    } else await cri.removePodSandbox({ podSandboxId }).catch((e) => add(`remove: ${plain(e)}`));
  }
}
await Promise.all(Array.from({ length: Number(workers) }, work));
console.log(texts);
process.exit();
