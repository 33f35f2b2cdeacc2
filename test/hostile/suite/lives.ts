import { createRealClock } from '../../../src/base/clock/real-clock.js';
import { connectCri } from '../../../src/cri/client/connect.js';
import { SpdyClient } from '../../integration/streaming/spdy-client.js';
import type { Victim } from '../kit.js';
import type { Surface } from './surface.js';

/** Time in ms between the starts of two pods. */
const PACE = 400;

const clock = createRealClock();

/**
 * Pod lifecycles at a low rate: run, exec, a rule, a streaming session, stop, remove. Meanwhile two clients follow the
 * events, over gRPC and over the control API. Alone, it shows what a server leaks.
 */
export const livesSurface: Surface = {
  name: 'lives of pods',
  open: async (victim) => {
    const over = new AbortController();
    const { signal } = over;
    let failure: unknown;
    const readers = Promise.all([readCri(victim, signal), readControl(victim, signal)]).catch((error) => {
      failure = error;
    });
    let life = 0;
    return {
      batch: async () => {
        if (failure !== undefined) throw failure;
        await live(victim, life++);
        await clock.sleep(PACE);
        return 1;
      },
      close: async () => {
        over.abort();
        await readers;
      },
    };
  },
};

async function live(victim: Victim, life: number): Promise<void> {
  const { cri } = victim;
  const metadata = { name: `soak${life}`, uid: `soak${life}`, namespace: 'default', attempt: 0 };
  const { podSandboxId } = await cri.runPodSandbox({ config: { metadata } });
  const { containerId } = await cri.createContainer({
    podSandboxId,
    sandboxConfig: { metadata },
    config: {
      metadata: { name: 'main', attempt: 0 },
      image: { image: 'busybox:1' },
      command: ['sh', '-c', 'i=0; while true; do echo line $i; i=$((i+1)); sleep 0.1; done'],
    },
  });
  await cri.startContainer({ containerId });
  const cmd = ['sh', '-c', 'ls / | sort | wc -l; echo done > /tmp/f; cat /tmp/f'];
  await cri.execSync({ containerId, cmd, timeout: 30n });
  if (life % 3 === 0) await session(victim, containerId);
  if (life % 2 === 0) await fault(victim);
  await cri.listContainers({});
  await cri.stopContainer({ containerId, timeout: 0n });
  await cri.removePodSandbox({ podSandboxId });
}

/** `cat` with a terminal's streams over SPDY. */
async function session({ cri }: Victim, containerId: string): Promise<void> {
  const exec = { containerId, cmd: ['cat'], stdin: true, stdout: true, stderr: true, tty: false };
  const { url } = await cri.exec(exec);
  const client = await SpdyClient.connect(url);
  await client.open({ streamtype: 'error' });
  const stdin = await client.open({ streamtype: 'stdin' });
  const stdout = await client.open({ streamtype: 'stdout' });
  await client.open({ streamtype: 'stderr' });
  await client.send(stdin, 'x'.repeat(10_000), true);
  await client.ended(stdout);
  client.close();
}

/** A rule that fails the next call of a second connection. */
async function fault(victim: Victim): Promise<void> {
  const url = `${victim.control}/v1/faults`;
  const spec = {
    name: 'soak',
    match: { method: 'ImageFsInfo' },
    when: { times: 1 },
    then: { error: { code: 'UNAVAILABLE' } },
  };
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(spec) });
  if (answer.status !== 201) throw new Error(await answer.text());
  await answer.text();
  const second = connectCri(victim.socket);
  await second.imageFsInfo({}).catch(() => {});
  second.close();
  await (await fetch(`${url}/soak`, { method: 'DELETE' })).text();
}

async function readCri({ cri }: Victim, signal: AbortSignal): Promise<void> {
  try {
    for await (const _ of cri.getContainerEvents({}, { signal }));
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function readControl({ control }: Victim, signal: AbortSignal): Promise<void> {
  try {
    await (await fetch(`${control}/v1/events`, { signal })).body?.pipeTo(new WritableStream(), { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
