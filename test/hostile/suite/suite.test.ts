import { afterEach, expect, it } from 'vitest';
import { countOf, ofAll, sampleOf } from '../../support/thorough.js';
import { killVictims } from '../kit.js';
import { attack, surfaces } from './run.js';

// `npm run attack` attacks for longer.

afterEach(killVictims);

/** Seconds for each surface. */
const seconds = countOf(5, 1);
/** What a server may keep, in MiB: the heap of a server that was busy, which Node returns late. */
const MOST_GROWTH = 400;

const chosen = sampleOf(surfaces, 4);

it.each(chosen.map((surface) => [surface.name, surface] as const))(
  `withstands ${seconds} s of attacks on %s (${ofAll(chosen.length, surfaces.length, 'surfaces')})`,
  async (_, surface) => {
    const result = await attack(surface, { seed: '1', seconds });
    process.stderr.write(`${JSON.stringify(result)}\n`);
    expect(result).toMatchObject({ crashes: 0, hangs: 0, wrong: [] });
    expect(result.inputs).toBeGreaterThan(0);
    expect(result.growth).toBeLessThan(MOST_GROWTH);
    // Connections that are about to close.
    expect(result.descriptors).toBeLessThan(20);
  },
);
