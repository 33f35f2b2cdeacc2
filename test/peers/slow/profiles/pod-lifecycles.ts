import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Random } from '../../../../src/base/random/random.js';
import type { CriClient } from '../../../../src/cri/client/client.js';
import { ContainerState, NamespaceMode } from '../../../../src/cri/gen/runtime/v1/api.js';
import { type TimedOperation, timedOperations } from '../../../../src/runtime/profiles/latency/latency.js';
import { IMAGE } from '../../../support/profiles/pod-fixture.js';

/** Times in ms, by operation. */
export type Samples = Readonly<Record<TimedOperation, number[]>>;

export function noSamples(): Samples {
  const samples: Partial<Record<TimedOperation, number[]>> = {};
  for (const operation of timedOperations) samples[operation] = [];
  return samples as Samples;
}

/** The time of a log's first line: a CRI log, or Docker's in JSON. */
const stampOf = (log: string): string =>
  /^\{.*"time":"([^"]*)"\}$/m.exec(log)?.[1] ?? log.split(' ')[0] ?? '';

/** Wall time in ms with fractions: it is compared with times that the runtime writes. */
const now = (): number => performance.timeOrigin + performance.now();

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A container's behavior until its removal. */
const fates = ['exits', 'is killed', 'runs commands'] as const;

/** The lifecycles of pods, with the time that each operation took. */
export function createPodLifecycles(cri: CriClient, samples: Samples) {
  async function timed<T>(operation: TimedOperation, work: Promise<T>): Promise<T> {
    const begun = now();
    const result = await work;
    samples[operation].push(now() - begun);
    return result;
  }

  /** From the pull of its image to its removal. */
  async function live(name: string, chosen: readonly (typeof fates)[number][]): Promise<void> {
    const directory = mkdtempSync(join(tmpdir(), 'profile-'));
    const config = {
      metadata: { name, uid: `uid-${name}`, namespace: 'profiles', attempt: 0 },
      hostname: name,
      logDirectory: directory,
      linux: {},
    };
    const { podSandboxId } = await timed('runSandbox', cri.runPodSandbox({ config }));
    for (const [index, fate] of chosen.entries()) {
      const log = `${index}.log`;
      const { containerId } = await timed(
        'createContainer',
        cri.createContainer({
          podSandboxId,
          config: {
            metadata: { name: `app-${index}`, attempt: 0 },
            image: IMAGE,
            command: ['sh', '-c', fate === 'exits' ? 'echo' : 'echo; exec sleep 1000'],
            logPath: log,
            // As the kubelet sets it.
            linux: { securityContext: { namespaceOptions: { pid: NamespaceMode.CONTAINER } } },
          },
          sandboxConfig: config,
        }),
      );
      const begun = now();
      await cri.startContainer({ containerId });
      const replied = now();
      const runs = await firstLine(join(directory, log));
      samples.startContainer.push(Math.min(runs, replied) - begun);
      samples.startReply.push(Math.max(0, replied - runs));
      if (fate === 'exits') {
        const { finishedAt, shownAt } = await ended(containerId);
        samples.firstStep.push(Math.max(0, finishedAt - runs));
        samples.exitReport.push(Math.max(0, shownAt - finishedAt));
      }
      if (fate === 'runs commands')
        for (let times = 0; times < 2; times++)
          await timed('exec', cri.execSync({ containerId, cmd: ['true'] }));
      if (fate !== 'exits') await timed('stopContainer', cri.stopContainer({ containerId, timeout: 0n }));
      await timed('removeContainer', cri.removeContainer({ containerId }));
    }
    await timed('stopSandbox', cri.stopPodSandbox({ podSandboxId }));
    await timed('removeSandbox', cri.removePodSandbox({ podSandboxId }));
    rmSync(directory, { recursive: true });
  }

  /** Time in the first line of a log: when the runtime read it from the process. */
  async function firstLine(file: string): Promise<number> {
    for (;;) {
      const stamp = stampOf(readFileSync(file, 'utf8'));
      const [, seconds, fraction] = /^(.*:\d\d)\.(\d+)(?:Z|[+-]\d\d:\d\d)$/.exec(stamp) ?? [];
      if (seconds !== undefined)
        return Date.parse(stamp.replace(/\.\d+/, '')) + Number(`0.${fraction}`) * 1000;
      await sleep(2);
    }
  }

  /** When a process ended, and when its container's status showed that. */
  async function ended(containerId: string): Promise<{ finishedAt: number; shownAt: number }> {
    for (;;) {
      const { status } = await cri.containerStatus({ containerId });
      if (status?.state === ContainerState.CONTAINER_EXITED)
        return { finishedAt: Number(status.finishedAt) / 1e6, shownAt: now() };
      await sleep(1);
    }
  }

  async function pull(): Promise<void> {
    await cri.removeImage({ image: IMAGE });
    await timed('pull', cri.pullImage({ image: IMAGE }));
  }

  return {
    /** One pod at a time, with a container of each fate. */
    scripted: async (rounds: number): Promise<void> => {
      for (let round = 0; round < rounds; round++) {
        await pull();
        await live(`scripted-${round}`, fates);
      }
    },
    /** Runs `width` pods concurrently, with up to three containers with random fates. */
    random: async (pods: number, width: number, random: Random): Promise<void> => {
      let next = 0;
      const worker = async () => {
        while (next < pods) {
          const own = random.fork(`${next}`);
          const name = `random-${next++}`;
          const count = 1 + Math.floor(own.next() * 3);
          const chosen = Array.from(
            { length: count },
            () => fates[Math.floor(own.next() * fates.length)] ?? 'exits',
          );
          await live(name, chosen);
        }
      };
      await Promise.all(Array.from({ length: width }, worker));
    },
  };
}
