import { createRealClock } from '../../../src/clock/real-clock.js';
import { connectCri } from '../../../src/cri/client/connect.js';
import { SpdyClient } from '../../integration/streaming/spdy-client.js';
import type { Victim } from '../kit.js';

/** Time in ms between the starts of two pods. */
const PACE = 400;

const clock = createRealClock();

/** What a soak has done so far. */
export interface SoakCounts {
  pods: number;
  execs: number;
  sessions: number;
  faults: number;
  events: number;
  /** Calls that failed by an injected fault; every other failure ends the soak. */
  injected: number;
}

/**
 * Lives of pods, one after another, until the signal aborts: run, exec, faults, a streaming session, stop, remove. Two
 * readers follow the events meanwhile, over gRPC and over the control API.
 */
export async function soak(victim: Victim, signal: AbortSignal, counts: SoakCounts): Promise<void> {
  const readers = [readCri(victim, signal, counts), readControl(victim, signal, counts)];
  for (let life = 0; !signal.aborted; life++) {
    await live(victim, life, counts);
    await clock.sleep(PACE, signal).catch(() => {});
  }
  await Promise.all(readers);
}

async function live(victim: Victim, life: number, counts: SoakCounts): Promise<void> {
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
  counts.execs++;
  if (life % 3 === 0) await session(victim, containerId, counts);
  if (life % 2 === 0) await fault(victim, counts);
  await cri.listContainers({});
  await cri.stopContainer({ containerId, timeout: 0n });
  await cri.removePodSandbox({ podSandboxId });
  counts.pods++;
}

/** `cat` with a terminal's streams over SPDY. */
async function session({ cri }: Victim, containerId: string, counts: SoakCounts): Promise<void> {
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
  counts.sessions++;
}

/** A rule that fails the next call of a second connection. */
async function fault(victim: Victim, counts: SoakCounts): Promise<void> {
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
  counts.faults++;
  const second = connectCri(victim.socket);
  await second.imageFsInfo({}).catch(() => counts.injected++);
  second.close();
  await (await fetch(`${url}/soak`, { method: 'DELETE' })).text();
}

async function readCri({ cri }: Victim, signal: AbortSignal, counts: SoakCounts): Promise<void> {
  try {
    for await (const _ of cri.getContainerEvents({}, { signal })) counts.events++;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function readControl({ control }: Victim, signal: AbortSignal, counts: SoakCounts): Promise<void> {
  try {
    const { body } = await fetch(`${control}/v1/events`, { signal });
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>)
      counts.events += Buffer.from(chunk).toString('latin1').split('\n\n').length - 1;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
