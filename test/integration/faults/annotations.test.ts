import { expect, test } from 'vitest';
import type { Mockri } from '../../../src/testing/index.js';
import { isThorough } from '../../support/thorough.js';
import { ending, useMockri } from './kit.js';

const slow = test.runIf(isThorough);

const mockri = useMockri();

function run(m: Mockri, name: string, annotations: Record<string, string>, attempt = 0) {
  const metadata = { name, namespace: 'default', uid: `uid-${name}`, attempt };
  return m.client.runPodSandbox({ config: { metadata, annotations, linux: {} } });
}

const rules = (m: Mockri) => m.faults.map(({ source, spec }) => `${source}: ${Object.keys(spec.then)}`);

test('rules in annotations apply only to their pod, and are removed with its last sandbox', async () => {
  const m = await mockri();
  const annotations = { 'fault.mockri.dev/PodSandboxStatus': '1*off->1*error(UNAVAILABLE:oops)' };
  const first = await run(m, 'web', annotations);
  const other = await run(m, 'db', {});
  expect(rules(m)).toEqual(['pod default/web uid-web: error']);
  expect(await ending(m.client.podSandboxStatus(other))).toBe('OK');
  expect(await ending(m.client.podSandboxStatus(first))).toBe('OK');
  expect(await ending(m.client.podSandboxStatus(first))).toBe('UNAVAILABLE oops');
  expect(await ending(m.client.podSandboxStatus(first))).toBe('OK');
  await m.client.stopPodSandbox(first);
  const second = await run(m, 'web', annotations, 1);
  // The rules are unchanged: they have already acted.
  expect(await ending(m.client.podSandboxStatus(second))).toBe('OK');
  await m.client.removePodSandbox(first);
  expect(rules(m)).toHaveLength(1);
  await m.client.stopPodSandbox(second);
  await m.client.removePodSandbox(second);
  expect(rules(m)).toEqual([]);
});

test('they apply to RunPodSandbox itself, and a retry continues the count', async () => {
  const m = await mockri();
  const annotations = { 'fault.mockri.dev/RunPodSandbox': '2*error(UNAVAILABLE)' };
  expect(await ending(run(m, 'web', annotations))).toMatch(/^UNAVAILABLE/);
  expect(await ending(run(m, 'web', annotations))).toMatch(/^UNAVAILABLE/);
  expect(await ending(run(m, 'web', annotations))).toBe('OK');
});

test('a trigger can follow the RPC', async () => {
  const m = await mockri();
  await run(m, 'web', { 'fault.mockri.dev/GetContainerEvents.message': 'drop' });
  expect(m.faults).toMatchObject([{ spec: { on: 'message', match: { pod: { uid: 'uid-web' } } } }]);
});

test('an invalid annotation is rejected, and nothing is created', async () => {
  const m = await mockri();
  expect(await ending(run(m, 'web', { 'fault.mockri.dev/StartContianer': 'hang' }))).toBe(
    'INVALID_ARGUMENT annotation fault.mockri.dev/StartContianer: "hang": match.method: unknown RPC "StartContianer"; did you mean "StartContainer"?',
  );
  expect(await ending(run(m, 'web', { 'fault.mockri.dev/Version': 'hang' }))).toBe(
    'INVALID_ARGUMENT annotation fault.mockri.dev/Version: "hang": match.pod: Version calls name no pod, so the rule would never match',
  );
  expect(await ending(run(m, 'web', { 'fault.mockri.dev/StartContainer': 'delay(5sec)' }))).toMatch(
    /: then\.delay: expected a duration such as .*; given "5sec"$/,
  );
  expect(await ending(run(m, 'web', { 'fault.mockri.dev/StartContainer': 'hagn' }))).toBe(
    'INVALID_ARGUMENT annotation fault.mockri.dev/StartContainer: "StartContainer=hagn": unknown action "hagn"; did you mean "hang"?',
  );
  expect(m.faults).toEqual([]);
  expect((await m.client.listPodSandbox({})).items).toEqual([]);
});

slow('abandoned pods without a sandbox are eventually forgotten', async () => {
  const m = await mockri();
  const annotations = { 'fault.mockri.dev/RunPodSandbox': 'error' };
  for (let index = 0; index < 1010; index++) await ending(run(m, `pod-${index}`, annotations));
  expect(m.faults.length).toBe(1000);
});
