import { createRealClock } from '../../../src/clock/real-clock.js';
import type { Simulation } from '../../../src/scenario/record.js';
import { manifest, run, staticPods } from '../../support/simulate.js';
import type { Section } from '../context.js';
import type { Figure } from '../support/result.js';

const clock = createRealClock();

/** Kubelet, runtime and clock in one process, on virtual time. */
export const simulation: Section = {
  name: 'simulation',
  title: 'Virtual time: how long a kubelet with its runtime takes for it',
  async run() {
    const crash = { pods: staticPods(['crash-exit1']), until: '1h' };
    return [
      ...(await measure('one crash loop, an hour, over a socket', () => run(crash, { over: 'socket' }))),
      ...(await measure('one crash loop, an hour, in process', () => run(crash))),
      ...(await measure('110 pods, an hour, in process', () => run({ pods: steady(110), until: '1h' }))),
      ...(await measure('one pod, a day, in process', () => run({ pods: steady(1), until: '24h' }))),
    ];
  },
};

const steady = (count: number) =>
  Array.from({ length: count }, (_, index) => {
    const base = manifest('steady') as { metadata: object };
    return { manifest: { ...base, metadata: { ...base.metadata, name: `steady-${index}` } }, static: true };
  });

async function measure(name: string, simulate: () => Promise<Simulation>): Promise<Figure[]> {
  const begun = clock.elapsed();
  const { calls } = await simulate();
  const took = clock.elapsed() - begun;
  return [
    { name, value: took / 1000, unit: 's' },
    { name: '  each call', value: (1000 * took) / calls.length, unit: 'µs' },
  ];
}
