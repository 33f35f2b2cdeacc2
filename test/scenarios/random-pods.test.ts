import { expect, test } from 'vitest';
import { readRecording, recordedVersions, unlikeThin } from '../support/random-pods/recording.js';

const versions = recordedVersions();

test('there are recordings of kubelets from 1.29 to 1.37', () => {
  const minors = versions.map((version) => Number(version.split('.')[1]));
  expect(minors).toEqual([29, 30, 31, 32, 33, 34, 35, 36, 37]);
});

test.each(versions)(
  'kubelet %s did nothing with random pods that the thin kubelet does not',
  async (version) => {
    const recorded = readRecording(version);
    expect(recorded.length).toBeGreaterThanOrEqual(10);
    for (const { pod, history } of recorded) expect(history.size, pod.name).toBeGreaterThan(1);
    expect(await unlikeThin(recorded, version.split('.').slice(0, 2).join('.'))).toEqual([]);
  },
);
