import { beforeAll, describe, expect, test } from 'vitest';
import { compareWithRuns } from '../support/recordings/pod-histories/compare.js';
import {
  historiesDirectory,
  randomHistoriesDirectory,
  readPodPlans,
} from '../support/recordings/pod-histories/manifests.js';
import type { HistoryRecording } from '../support/recordings/pod-histories/record.js';
import { historyOf, recordedRuns } from '../support/recordings/pod-histories/recording.js';
import { simulatePods } from '../support/recordings/pod-histories/run.js';
import { ofAll, sampleOf } from '../support/thorough.js';

const SECONDS = 100;
/** Until this time the back-off jitter moves the recordings apart by no more than the tolerance. */
const COMPARED = 85;
/** Number of pods in a sample, per recording. */
const FEW = 2;

/** Of a kubelet. */
interface Recorded {
  readonly kubelet: string;
  readonly version: string;
  readonly pods: string;
  readonly directory: URL;
  /** Pods in which a fraction of a second decides, alike in all recorded runs: some seeds of ours lead to the same. */
  readonly seeded: readonly string[];
  /** Pods for which this fraction is that of the recorder, which no seed changes. */
  readonly left?: readonly string[];
}

/** Seeds that are tried for a pod in which chance decides. */
const SEEDS = 12;

/** Whether its image is looked up once more before the deadline depends on the jitter of the requeue. */
const CHOSEN = ['deadline-in-pull'];

const RANDOM = [
  // Its container ends at the instant of its third startup probe, which fails.
  'random-1-41',
  // Startup and liveness probe of a restarted container are due at the same instant: the liveness probe fails, or is not yet needed.
  'random-2-14',
];

const recordings: readonly Recorded[] = [
  {
    kubelet: '1.36.3',
    version: '1.36',
    pods: 'pod-histories',
    directory: historiesDirectory,
    seeded: CHOSEN,
  },
  {
    kubelet: '1.36.3',
    version: '1.36',
    pods: 'random-pod-histories',
    directory: randomHistoriesDirectory,
    seeded: RANDOM,
  },
  {
    kubelet: '1.37.2',
    version: '1.37',
    pods: 'pod-histories',
    directory: historiesDirectory,
    seeded: CHOSEN,
    // Its old container is left if a list falls between its end and that of its sandbox: for one of ten times of the removal.
    left: ['gone-and-back'],
  },
  {
    kubelet: '1.37.2',
    version: '1.37',
    pods: 'random-pod-histories',
    directory: randomHistoriesDirectory,
    seeded: RANDOM,
  },
];

describe.each(recordings)(
  '$pods of kubelet $kubelet',
  ({ kubelet, version, pods, directory, seeded, left = [] }) => {
    const recorded = readPodPlans('', directory);
    const all = recorded.filter(({ name }) => !seeded.includes(name) && !left.includes(name));
    const plans = sampleOf(all, FEW);
    const runs = recordedRuns(new URL(`../oracle/kubelet-${kubelet}/${pods}`, import.meta.url));
    let ours: HistoryRecording;
    const compared = (name: string, until: number, ours: HistoryRecording) =>
      compareWithRuns(
        historyOf(ours, name),
        runs.map((run) => historyOf(run, name)),
        until,
      );

    beforeAll(async () => {
      ours = await simulatePods(plans, SECONDS, version);
    });

    describe.each(plans)(
      `$name (${ofAll(plans.length, all.length, 'pods')})`,
      ({ name, until = COMPARED }) => {
        test('matches the real kubelet: rows, states, conditions, events', () => {
          const { compared: steps, differences } = compared(name, until, ours);
          expect(differences).toEqual([]);
          expect(steps).toBeGreaterThan(10);
        });

        test('has the run times of the real kubelet', () => {
          expect(compared(name, until, ours).late).toEqual([]);
        });
      },
    );

    const decidedByChance = recorded.filter(({ name }) => seeded.includes(name));
    const title = `$name matches the real kubelet with one of ${SEEDS} seeds`;
    test.each(sampleOf(decidedByChance, 0))(title, async (plan) => {
      const differences: string[] = [];
      for (let seed = 1; seed <= SEEDS; seed++) {
        const result = compared(
          plan.name,
          plan.until ?? COMPARED,
          await simulatePods([plan], SECONDS, version, seed),
        );
        const found = [...result.differences, ...result.late];
        if (found.length === 0) return expect(result.compared).toBeGreaterThan(10);
        differences.push(`seed ${seed}: ${found}`);
      }
      expect(differences).toEqual([]);
    });
  },
);
