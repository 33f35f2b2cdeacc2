import type { Candidate } from './catalog.js';

const COUNT = 100;
/** Seeds are tried in any state. */
const STATE = 'seed';

/** A kubelet program takes its random numbers, and so the order of simultaneous events, from the seed. */
export function otherSeeds(own: number | string): Candidate[] {
  return Array.from({ length: COUNT + 1 }, (_, index) => index + 1)
    .filter((seed) => String(seed) !== String(own))
    .slice(0, COUNT)
    .map((seed) => ({
      state: STATE,
      perturbation: {
        id: `seed ${seed}`,
        kind: 'another seed',
        family: 'seed',
        text: `seed ${seed}`,
        pod: '',
        at: 0,
        until: 0,
        rules: [],
        steps: [],
        seed,
      },
    }));
}
