import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTemporaryDirectory } from '../../../../test/support/temporary.js';
import { kubeletVersions } from '../../config/versions.js';
import { kubeletProgram, simulatedAs } from './kubelet-program.js';

const directory = useTemporaryDirectory();

test.each([
  ['1.30.14', '1.30'],
  ['1.27.3', '1.27'],
])('a program %s is simulated as %s', (version, simulated) => {
  expect(simulatedAs({ path: '', version })).toBe(simulated);
});

test.each(['1.99.0-dev', '1.99', '2.0.0'])('a program %s is simulated as the newest', (version) => {
  expect(simulatedAs({ path: '', version })).toBe(kubeletVersions.at(-1));
});

test('a program without a version, as Go builds it, is refused', () => {
  const path = join(directory, 'kubelet');
  writeFileSync(path, '#!/bin/sh\n# MOCKRI_TIME_SEED\necho Kubernetes v0.0.0-master\n', { mode: 0o755 });
  expect(() => kubeletProgram(path, '--kubelet')).toThrow(
    `--kubelet: ${path} says that it is v0.0.0-master; expected 1.28 or newer`,
  );
});
