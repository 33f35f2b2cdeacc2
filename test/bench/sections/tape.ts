import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRealClock } from '../../../src/base/clock/real-clock.js';
import type { Section } from '../context.js';
import { IMAGE, startPod } from '../support/pods.js';
import { median } from '../support/result.js';
import type { RealServer } from '../support/servers.js';
import { byTurns } from '../support/turns.js';

const PODS = 15;
/** Rounds of calls that are timed: a list of sandboxes, one of containers, and a status of each. */
const ROUNDS = 1000;

/** Cost of a recording: the median call of a proxy with `--record`, compared with the same proxy without it. */
export const tape: Section = {
  name: 'tape',
  title: `Calls one after the other through a proxy to ${PODS} pods, with and without a recording`,
  async run({ servers }) {
    const directory = await mkdtemp(join(tmpdir(), 'mockri-bench-tape-'));
    const behind = await servers.real();
    await behind.cri.pullImage({ image: { image: IMAGE } });
    for (let number = 0; number < PODS; number++) await startPod(behind.cri, `pod-${number}`);
    const through = ['--backend', 'remote', '--remote-endpoint', `unix://${behind.socket}`];
    const plain = await servers.real(...through);
    const recording = await servers.real(...through, '--record', join(directory, 'run.tape.gz'));
    const times = await byTurns(
      () => medianCall(plain),
      () => medianCall(recording),
    );
    await servers.stopAll();
    await rm(directory, { recursive: true });
    return [
      { name: 'median call without a recording', value: times.base, unit: 'ms' },
      { name: 'median call with a recording', value: times.measured, unit: 'ms' },
      { name: 'with / without', value: times.ratio, unit: '', aim: { below: 1.1 } },
    ];
  },
};

/** Median time in ms of the calls that a kubelet makes once a second. */
async function medianCall({ cri }: RealServer): Promise<number> {
  const clock = createRealClock();
  const times: number[] = [];
  const timed = async <T>(call: () => Promise<T>): Promise<T> => {
    const begun = clock.elapsed();
    const reply = await call();
    times.push(clock.elapsed() - begun);
    return reply;
  };
  for (let round = 0; round < ROUNDS; round++) {
    const { items } = await timed(() => cri.listPodSandbox({}));
    const { containers } = await timed(() => cri.listContainers({}));
    const [sandbox, container] = [items[round % PODS], containers[round % PODS]];
    await timed(() => cri.podSandboxStatus({ podSandboxId: sandbox?.id ?? '' }));
    await timed(() => cri.containerStatus({ containerId: container?.id ?? '' }));
  }
  return median(times);
}
