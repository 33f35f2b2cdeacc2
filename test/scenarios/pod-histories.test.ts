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

/** Of a kubelet; what it does with `chance` depends on a fraction of a second, which both of its runs have alike. */
interface Recorded {
  readonly kubelet: string;
  readonly version: string;
  readonly pods: string;
  readonly directory: URL;
  readonly chance?: readonly string[];
}

/** Its container ends at the instant of its third startup probe, which fails: what comes first depends on the other pods. */
const ENDS_AT_PROBE = ['random-1-41'];

const recordings: readonly Recorded[] = [
  { kubelet: '1.36.3', version: '1.36', pods: 'pod-histories', directory: historiesDirectory },
  {
    kubelet: '1.36.3',
    version: '1.36',
    pods: 'random-pod-histories',
    directory: randomHistoriesDirectory,
    chance: ENDS_AT_PROBE,
  },
  {
    kubelet: '1.37.2',
    version: '1.37',
    pods: 'pod-histories',
    directory: historiesDirectory,
    // Its old container is left if a list falls between its end and that of its sandbox: for one of ten times of the removal.
    chance: ['gone-and-back'],
  },
  {
    kubelet: '1.37.2',
    version: '1.37',
    pods: 'random-pod-histories',
    directory: randomHistoriesDirectory,
    chance: ENDS_AT_PROBE,
  },
];

describe.each(recordings)(
  '$pods of kubelet $kubelet',
  ({ kubelet, version, pods, directory, chance = [] }) => {
    const all = readPodPlans('', directory).filter(({ name }) => !chance.includes(name));
    const plans = sampleOf(all, FEW);
    const runs = recordedRuns(new URL(`../oracle/kubelet-${kubelet}/${pods}`, import.meta.url));
    let ours: HistoryRecording;
    const compared = (name: string, until: number) =>
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
          const { compared: steps, differences } = compared(name, until);
          expect(differences).toEqual([]);
          expect(steps).toBeGreaterThan(10);
        });

        test('has the run times of the real kubelet', () => {
          expect(compared(name, until).late).toEqual([]);
        });
      },
    );
  },
);
