import { expect, test } from 'vitest';
import { runtimeProfileNames } from '../../src/runtime/profiles/index.js';
import { describeFailure, runConformance, saveReport } from '../../src/suite/conformance/index.js';
import { allChecks } from '../../src/suite/conformance/specs/index.js';
import { deviationFor } from '../../src/suite/deviations/deviation.js';
import { deviationsOf, profileFor } from '../../src/suite/deviations/index.js';
import { startMockri } from '../../src/testing/index.js';

/** So that calls at the same time meet. */
const TIMES = {
  runSandbox: ['5ms'],
  createContainer: ['5ms'],
  startContainer: ['5ms'],
  removeContainer: ['20ms'],
};

/** In ms: some checks wait for a reply that never comes. */
const LONGEST = 20_000;

/** What a profile does not do as its runtime does (docs/profiles.md): logs in Docker's JSON, and what cri-dockerd ignores. */
const NOT_SIMULATED = ['INV-46.format', 'INV-46.partial', 'INV-65.no-user-namespace', 'INV-67.no-log'];

/** The suite chooses the known deviations by what Version says. The profiles wait at the same time. */
test.concurrent.each(runtimeProfileNames.filter((name) => name !== 'strict'))(
  '%s deviates where the conformance suite expects it to',
  async (profile) => {
    await using mockri = await startMockri({ profile, latency: TIMES, referee: 'off' });
    const { runtimeName, runtimeVersion } = await mockri.client.version({});
    const known = deviationsOf(profileFor(runtimeName));
    const checks = allChecks.flatMap(({ id, needs }) => {
      // Nothing restarts the server here.
      if (needs?.includes('restart command')) return [];
      const deviation = deviationFor(known, id, runtimeVersion);
      return deviation === undefined || deviation.fatal ? [] : [{ id, deviation }];
    });
    const simulated = checks.filter(({ id }) => !NOT_SIMULATED.includes(id));
    const focus = new RegExp(simulated.map(({ id }) => id.replaceAll('.', '\\.')).join('|'));
    const report = saveReport(await runConformance({ endpoint: mockri.endpoint, focus, timeout: LONGEST }));
    const of = (outcome: string) => report.results.filter((result) => result.outcome === outcome);
    expect(of('failed').map(describeFailure)).toEqual([]);
    const deviates = of('deviates').map(({ id }) => id);
    const always = simulated.filter(({ deviation }) => !deviation.sometimes).map(({ id }) => id);
    expect(deviates).toEqual(expect.arrayContaining(always));
  },
);

test('a streaming URL without a scheme is opened as http, as kubelets do', async () => {
  await using mockri = await startMockri({ profile: 'cri-dockerd-0.4', referee: 'off' });
  const focus = /INV-64\.(exec|attach|port-forward)|INV-45\.unknown-token/;
  const { results } = saveReport(
    await runConformance({ endpoint: mockri.endpoint, focus, timeout: LONGEST }),
  );
  expect(results.length).toBeGreaterThan(5);
  expect(results.filter(({ outcome }) => outcome === 'failed').map(describeFailure)).toEqual([]);
});

test('images that a check pulled are gone afterwards, on a runtime that removes them by id only', async () => {
  await using mockri = await startMockri({ profile: 'cri-dockerd-0.4', referee: 'off' });
  const before = await mockri.client.listImages({});
  const focus = /INV-37\.remove|INV-39\.digest/;
  const { results } = saveReport(
    await runConformance({ endpoint: mockri.endpoint, focus, timeout: LONGEST }),
  );
  expect(results.map(({ outcome }) => outcome)).toEqual(['deviates', 'deviates']);
  expect(await mockri.client.listImages({})).toEqual(before);
});

test("an image with another client's name stays, on a runtime that removes images by id only", async () => {
  await using mockri = await startMockri({ profile: 'cri-dockerd-0.4', referee: 'off' });
  const own = 'registry.example/own/test-image-1:latest';
  await mockri.client.pullImage({ image: { image: own } });
  const report = saveReport(
    await runConformance({ endpoint: mockri.endpoint, focus: /INV-39\.digest/, timeout: LONGEST }),
  );
  const { images } = await mockri.client.listImages({});
  expect(images.map(({ repoTags }) => repoTags)).toEqual([expect.arrayContaining([own])]);
  expect(report.results.flatMap(({ left }) => left)).toEqual([expect.stringContaining(own)]);
});
