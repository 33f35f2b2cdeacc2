import { beforeAll, describe, expect, test } from 'vitest';
import { compareLives } from '../support/lives/compare.js';
import { livesDirectory, randomLivesDirectory, readLives } from '../support/lives/manifests.js';
import type { LivesRecording } from '../support/lives/record.js';
import { lifeOf, realLives } from '../support/lives/recording.js';
import { simulateLives } from '../support/lives/run.js';
import { ofAll, sampleOf } from '../support/thorough.js';

const SECONDS = 100;
/** By then the jitter of the back-offs has drawn the recordings apart by no more than they are forgiven. */
const COMPARED = 85;

/** In a sample of each kind. */
const FEW = 10;

describe.each([
  ['chosen', livesDirectory],
  ['random', randomLivesDirectory],
])('%s pods', (_kind, directory) => {
  const all = readLives('', directory);
  const lives = sampleOf(all, FEW);
  const real = realLives(directory);
  let ours: LivesRecording;

  beforeAll(async () => {
    ours = await simulateLives(lives, SECONDS);
  }, 120_000);

  describe.each(lives)(`$name (${ofAll(lives.length, all.length, 'pods')})`, ({ name, until = COMPARED }) => {
    test('goes as under the real kubelet: rows, states, conditions, events', () => {
      const { compared, differences } = compareLives(lifeOf(ours, name), lifeOf(real, name), until);
      expect(differences).toEqual([]);
      expect(compared).toBeGreaterThan(10);
    });

    test('runs as long as it did there', () => {
      expect(compareLives(lifeOf(ours, name), lifeOf(real, name), until).late).toEqual([]);
    });
  });
});
