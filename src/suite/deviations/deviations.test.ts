import { expect, test } from 'vitest';
import { allChecks } from '../conformance/specs/index.js';
import { type DeviationProfile, deviationFor } from './deviation.js';
import { deviationsOf, profileFor, profileNames } from './index.js';

const profile: DeviationProfile = {
  name: 'some',
  deviations: [
    { check: 'INV-01', why: 'all of them', link: 'l' },
    {
      check: 'INV-02.one',
      why: 'two ranges',
      link: 'l',
      versions: [
        ['2.0.0', '2.2.6'],
        ['2.3', '2.3.3'],
      ],
    },
  ],
};

test('a deviation covers a check, or all of an invariant', () => {
  expect(deviationFor(profile, 'INV-01.any', '1')?.why).toBe('all of them');
  expect(deviationFor(profile, 'INV-010.any', '1')).toBeUndefined();
  expect(deviationFor(profile, 'INV-02.other', '2.1')).toBeUndefined();
});

test.each([
  ['1.7.24~ds1', false],
  ['2.0.0', true],
  ['v2.1.9+unknown', true],
  ['2.2.6', false],
  ['2.2.10', false],
  ['2.3.2', true],
  ['2.3.3', false],
])('version %s deviates: %s', (version, expected) =>
  expect(deviationFor(profile, 'INV-02.one', version) !== undefined).toBe(expected),
);

test('every deviation refers to an existing check', () => {
  const ids = allChecks.map(({ id }) => id);
  for (const { deviations } of profileNames.map(deviationsOf)) {
    for (const { check } of deviations) {
      expect(
        ids.some((id) => id === check || id.startsWith(`${check}.`)),
        check,
      ).toBe(true);
    }
  }
});

test('the name of the runtime selects the profile', () => {
  expect(['containerd', 'cri-o', 'docker', 'mockri'].map(profileFor)).toEqual([
    'containerd',
    'cri-o',
    'cri-dockerd',
    'strict',
  ]);
});
