import { expect, test } from 'vitest';
import { leavesOf } from './leaves.js';
import { brokenBy } from './rules.js';
import type { PluginRun } from './run.js';

const run = (spec: object, created: readonly string[] = []): PluginRun => ({
  outcomes: new Map(),
  specs: new Map([['web/app', leavesOf(spec)]]),
  missing: undefined,
  crashes: [],
  findings: [],
  output: '',
  created: new Set(created),
  seen: new Map(),
});

const plain = { linux: { resources: { devices: [{ allow: false, access: 'rwm' }] } } };
const device = { allow: true, type: 'c', major: 9, minor: 1, access: 'rw' };
const adjusted = {
  linux: {
    resources: { devices: [...plain.linux.resources.devices, device], unified: { 'memory.high': '1' } },
  },
};
const baseline = { withPlugin: run(adjusted, ['web/app']), withoutPlugin: run(plain) };

test('of a container that was created while the plugin was away, only what an update can set counts', () => {
  expect(brokenBy(run(plain), baseline).map(({ message }) => message)).toEqual([
    'web/app was created while the plugin was disconnected, and listed to it later: it lacks linux.resources.unified.memory.high ("1" without perturbations)',
  ]);
});

test('of one that was created while the plugin was connected, all counts', () => {
  expect(brokenBy(run(plain, ['web/app']), baseline)[0]?.message).toMatch(/devices\[1\]\.major.*unified/);
});
