import { beforeAll, describe, expect, test } from 'vitest';
import { compareLives } from '../support/recordings/pod-histories/compare.js';
import {
  livesDirectory,
  randomLivesDirectory,
  readLives,
} from '../support/recordings/pod-histories/manifests.js';
import type { LivesRecording } from '../support/recordings/pod-histories/record.js';
import { lifeOf, realLives } from '../support/recordings/pod-histories/recording.js';
import { simulateLives } from '../support/recordings/pod-histories/run.js';
import { ofAll, sampleOf } from '../support/thorough.js';

const SECONDS = 100;
/** Until this time the back-off jitter moves the recordings apart by no more than the tolerance. */
const COMPARED = 85;

/** Number of pods in a sample, per recording. */
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
  });

  describe.each(lives)(`$name (${ofAll(lives.length, all.length, 'pods')})`, ({ name, until = COMPARED }) => {
    test('matches the real kubelet: rows, states, conditions, events', () => {
      const { compared, differences } = compareLives(lifeOf(ours, name), lifeOf(real, name), until);
      expect(differences).toEqual([]);
      expect(compared).toBeGreaterThan(10);
    });

    test('has the run times of the real kubelet', () => {
      expect(compareLives(lifeOf(ours, name), lifeOf(real, name), until).late).toEqual([]);
    });
  });
});
