import { Command } from 'commander';
import { expect, test } from 'vitest';
import { runtimeProfileChoices, runtimeProfileName } from '../../runtime/profiles/index.js';
import { addOptions } from './define-options.js';
import { knownDeviations } from './known-deviations.js';

const [option] = addOptions(new Command(), { '--profile <name>': knownDeviations('') }).options;
const deviationsFor = (name: string): unknown => option?.parseArg?.(name, undefined);

test.each([
  ['containerd-2.4', 'containerd'],
  ['containerd-2.3', 'containerd'],
  ['containerd', 'containerd'],
  ['cri-o-1.36', 'cri-o'],
  ['cri-o-1.36', 'cri-o'],
  ['cri-dockerd-0.4', 'cri-dockerd'],
  ['strict', 'strict'],
])('--profile %s selects the known deviations of %s', (name, runtime) => {
  expect(deviationsFor(name)).toBe(runtime);
});

test('every name that serve takes selects known deviations, and another one is an error', () => {
  for (const name of runtimeProfileChoices) expect(() => deviationsFor(name)).not.toThrow();
  expect(() => deviationsFor('containerd-9.9')).toThrow(/Allowed choices are strict, containerd-/);
});

test('a runtime without a version means its newest profile', () => {
  expect(runtimeProfileChoices.map(runtimeProfileName).slice(-3)).toEqual([
    'containerd-2.4',
    'cri-o-1.36',
    'cri-dockerd-0.4',
  ]);
});
