import { afterEach, expect, it } from 'vitest';
import { countOf, ofAll, sampleOf } from '../../support/thorough.js';
import { killVictims } from '../kit.js';
import { attack, MAY_KEEP, surfaces } from './run.js';

// `npm run test:hostile -- --hours 2` attacks for longer, on all surfaces at the same time.

afterEach(killVictims);

/** Seconds for each surface. */
const seconds = countOf(5, 1);
/** What the server may have, in MB. */
const MOST_MEMORY = 600;

const chosen = sampleOf(surfaces, 4);

it.each(chosen.map((surface) => [surface.name, surface] as const))(
  `withstands ${seconds} s of attacks on %s (${ofAll(chosen.length, surfaces.length, 'surfaces')})`,
  async (_, surface) => {
    const result = await attack([surface], { seed: '1', seconds });
    expect(result).toMatchObject({ refused: 0, wrong: [] });
    expect(result.inputs).toBeGreaterThan(0);
    expect(result.peak).toBeLessThan(MOST_MEMORY);
    expect(result.descriptors).toBeLessThan(MAY_KEEP);
  },
);
