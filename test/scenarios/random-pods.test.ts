import { expect, test } from 'vitest';
import { readRecording, recordedVersions, unlikeThin } from '../support/random-pods/recording.js';
import { ofAll, sampleOf } from '../support/thorough.js';

const versions = recordedVersions();
const some = sampleOf(versions, 1);

test('there are recordings of kubelets from 1.29 to 1.37', () => {
  const minors = versions.map((version) => Number(version.split('.')[1]));
  expect(minors).toEqual([29, 30, 31, 32, 33, 34, 35, 36, 37]);
});

test.each(some)(
  `kubelet %s did nothing with random pods that the thin kubelet does not (${ofAll(some.length, versions.length, 'versions')})`,
  async (version) => {
    const all = readRecording(version);
    expect(all.length).toBeGreaterThanOrEqual(10);
    const recorded = sampleOf(all, 3);
    for (const { pod, history } of recorded) expect(history.size, pod.name).toBeGreaterThan(1);
    expect(await unlikeThin(recorded, version.split('.').slice(0, 2).join('.'))).toEqual([]);
  },
);
