import { expect, test } from 'vitest';
import { kubeletVersions } from '../../config/versions.js';
import { simulatedAs } from './kubelet-program.js';

test.each([
  ['1.30.14', '1.30'],
  ['1.27.3', '1.27'],
])('a program %s is simulated as %s', (version, simulated) => {
  expect(simulatedAs({ path: '', version })).toBe(simulated);
});

test.each(['1.99.0-dev', '1.99', '2.0.0'])('a program %s is simulated as the newest', (version) => {
  expect(simulatedAs({ path: '', version })).toBe(kubeletVersions.at(-1));
});
