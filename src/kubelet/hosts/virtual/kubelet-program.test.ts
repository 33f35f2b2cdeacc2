import { execFileSync } from 'node:child_process';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTemporaryDirectory } from '../../../../test/support/temporary.js';
import { kubeletVersions } from '../../config/versions.js';
import { isForVirtualTime, kubeletProgram, simulatedAs } from './kubelet-program.js';

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

test.each([
  ['in its last bytes', (1 << 20) - 16, true],
  ['across two reads', (1 << 20) - 5, true],
  ['nowhere', -1, false],
])('a program is for virtual time if it has the variable: %s', (_, at, isThere) => {
  const path = join(directory, 'program');
  const bytes = Buffer.alloc(2 << 20);
  if (at >= 0) bytes.write('MOCKRI_TIME_SEED', at);
  writeFileSync(path, bytes);
  expect(isForVirtualTime(path)).toBe(isThere);
});

test('a program that is not a file is refused, and a huge one not read to its end', () => {
  const pipe = join(directory, 'pipe');
  execFileSync('mkfifo', [pipe]);
  expect(() => isForVirtualTime(pipe)).toThrow(`${pipe}: it can't be read: it is a pipe`);
  expect(() => isForVirtualTime('/dev/zero')).toThrow('it is a device');
  expect(() => isForVirtualTime(directory)).toThrow('it is a directory');
  const huge = join(directory, 'huge');
  writeFileSync(huge, '');
  truncateSync(huge, 2 ** 40);
  expect(() => isForVirtualTime(huge)).toThrow('it has more than 1073741824 bytes');
});

test('a program without a version, as Go builds it, is refused', () => {
  const path = join(directory, 'kubelet');
  writeFileSync(path, '#!/bin/sh\n# MOCKRI_TIME_SEED\necho Kubernetes v0.0.0-master\n', { mode: 0o755 });
  expect(() => kubeletProgram(path, '--kubelet')).toThrow(
    `--kubelet: ${path} says that it is v0.0.0-master; expected 1.28 or newer`,
  );
});
