import { execFileSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CriLog } from '../../../adapters/memory/logs/cri-log.js';
import { seccompOf } from '../../../adapters/memory/security/seccomp.js';
import { createVirtualClock } from '../../../src/base/clock/virtual-clock.js';
import { readTextFile } from '../../../src/base/input/text-file.js';
import { outputFileSchema } from '../../../src/cli/output/output-file.js';
import {
  LinuxContainerSecurityContext,
  SecurityProfile_ProfileType as ProfileType,
} from '../../../src/cri/gen/runtime/v1/api.js';
import { loadOracle } from '../../../src/lab/scenario/expect/oracle.js';
import { HostDisk } from '../../../src/linux/fs/node-disk.js';
import { useTemporaryDirectories } from '../../support/temporary.js';

const temporary = useTemporaryDirectories();

/** A pipe that nobody writes to or reads from. */
const pipe = (): string => {
  const path = join(temporary(), 'pipe');
  execFileSync('mkfifo', [path]);
  return path;
};

const seccomp = (localhostRef: string) => () =>
  seccompOf(
    LinuxContainerSecurityContext.fromPartial({
      seccomp: { profileType: ProfileType.Localhost, localhostRef },
    }),
  );

it.each([
  ['pipe', pipe],
  ['device', () => '/dev/zero'],
])('refuses a %s as a file of rules', (kind, path) => {
  expect(() => readTextFile(path(), '--faults')).toThrow(`it is a ${kind}; give a regular file`);
});

it('refuses a pipe as the file of a report: opening it would wait for a reader', () => {
  const path = pipe();
  const link = join(temporary(), 'link');
  symlinkSync(path, link);
  for (const file of [path, link])
    expect(outputFileSchema.safeParse(file).error?.issues[0]?.message).toBe('it is a pipe; give a file');
});

it('refuses a pipe as the rule of a user', async () => {
  await expect(loadOracle(pipe())).rejects.toThrow('it cannot be read: it is a pipe; give a regular file');
});

it('refuses a pipe as a seccomp profile', () => {
  expect(seccomp(pipe())).toThrow('it is a pipe; give a regular file');
});

it('quotes nothing from a file that is not a profile', () => {
  const path = join(temporary(), 'shadow');
  writeFileSync(path, 'root:secret:1::');
  expect(seccomp(path)).toThrow('it holds no JSON');
  expect(seccomp(path)).not.toThrow('secret');
});

it.each([
  ['a pipe', pipe],
  ['a device', () => '/dev/null'],
])('refuses %s as a log', async (_, path) => {
  const errors: unknown[] = [];
  const log = new CriLog({
    path: path(),
    disk: new HostDisk(),
    clock: createVirtualClock(),
    onError: (error) => errors.push(error),
  });
  await log.make();
  expect(errors).toHaveLength(1);
  await log.close();
});
