import { beforeAll, describe, expect, test } from 'vitest';
import { compareHistories } from '../support/recordings/pod-histories/compare.js';
import {
  historiesDirectory,
  randomHistoriesDirectory,
  readPodPlans,
} from '../support/recordings/pod-histories/manifests.js';
import type { HistoryRecording } from '../support/recordings/pod-histories/record.js';
import { historyOf, realHistories } from '../support/recordings/pod-histories/recording.js';
import { simulatePods } from '../support/recordings/pod-histories/run.js';
import { ofAll, sampleOf } from '../support/thorough.js';

const SECONDS = 100;
/** Until this time the back-off jitter moves the recordings apart by no more than the tolerance. */
const COMPARED = 85;

/** The kubelet that was recorded. */
const VERSION = '1.36';
/** Number of pods in a sample, per recording. */
const FEW = 10;

describe.each([
  ['chosen', historiesDirectory],
  ['random', randomHistoriesDirectory],
])('%s pods', (_kind, directory) => {
  const all = readPodPlans('', directory);
  const plans = sampleOf(all, FEW);
  const real = realHistories(directory);
  let ours: HistoryRecording;

  beforeAll(async () => {
    ours = await simulatePods(plans, SECONDS, VERSION);
  });

  describe.each(plans)(`$name (${ofAll(plans.length, all.length, 'pods')})`, ({ name, until = COMPARED }) => {
    test('matches the real kubelet: rows, states, conditions, events', () => {
      const { compared, differences } = compareHistories(historyOf(ours, name), historyOf(real, name), until);
      expect(differences).toEqual([]);
      expect(compared).toBeGreaterThan(10);
    });

    test('has the run times of the real kubelet', () => {
      expect(compareHistories(historyOf(ours, name), historyOf(real, name), until).late).toEqual([]);
    });
  });
});
