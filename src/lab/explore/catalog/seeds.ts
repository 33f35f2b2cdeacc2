import type { Candidate } from './catalog.js';

/** Other seeds that are tried. */
const COUNT = 100;
/** They are tried in any state. */
const STATE = 'seed';

/**
 * Runs with other random numbers than those of the scenario's seed. A kubelet program takes its own from there, and with them the
 * order of what is due at one instant: its races come from these seeds.
 */
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
