import { manifest, staticPods } from '../../support/scenario/simulate.js';
import type { Section } from '../context.js';
import type { Figure } from '../support/result.js';
import { type Over, sharesOf, simulated } from '../support/simulated.js';

const CRASH = { pods: staticPods(['crash-exit1']), until: '1h' };

/** Kubelet, runtime and clock in one process, in virtual time. */
export const simulation: Section = {
  name: 'simulation',
  title: 'Virtual time: real duration of simulations with kubelet and runtime',
  async run() {
    return [
      ...(await measure('one crash loop, an hour, over a socket', CRASH, 'socket')),
      ...(await shares(CRASH, 'socket')),
      ...(await measure('one crash loop, an hour, in process', CRASH, 'process')),
      ...(await shares(CRASH, 'process')),
      ...(await measure('110 pods, an hour, in process', { pods: steady(110), until: '1h' }, 'process')),
      await hashes(),
    ];
  },
};

/** Takes more than a minute on most machines. */
export const month: Section = {
  name: 'month',
  title: 'Virtual time: one pod for 30 days in process',
  run: async () => {
    const scenario = { pods: steady(1), until: '720h' };
    return [
      ...(await measure('one pod, 30 days, in process', scenario, 'process')),
      ...(await shares({ ...scenario, until: '24h' }, 'process')),
    ];
  },
};

export const steady = (count: number) =>
  Array.from({ length: count }, (_, index) => {
    const base = manifest('steady') as { metadata: object };
    return { manifest: { ...base, metadata: { ...base.metadata, name: `steady-${index}` } }, static: true };
  });

async function measure(name: string, scenario: object, over: Over): Promise<Figure[]> {
  const { seconds, calls, heap } = await simulated(scenario, over);
  return [
    { name, value: seconds, unit: 's' },
    { name: '  calls', value: calls, unit: '' },
    { name: '  each', value: (1e6 * seconds) / calls, unit: 'µs' },
    { name: '  maximum heap', value: heap, unit: 'MiB' },
  ];
}

/** Shares of the time by component, from a profile of a separate run. */
async function shares(scenario: object, over: Over): Promise<Figure[]> {
  const { times } = await simulated(scenario, over, 'profile');
  return sharesOf(times).map(([part, percent]) => ({ name: `    ${part}`, value: percent, unit: '%' }));
}

/** Eight runs of 15 minutes, half of them over the socket. */
async function hashes(): Promise<Figure> {
  const found = new Set<string>();
  for (let index = 0; index < 8; index++) {
    const over = index % 2 === 0 ? 'process' : 'socket';
    found.add((await simulated({ ...CRASH, until: '15m' }, over)).hash);
  }
  return { name: 'different results of eight runs', value: found.size, unit: '', aim: { below: 2 } };
}
