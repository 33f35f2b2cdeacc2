import { execFileSync } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type Dockerode from 'dockerode';
import { beforeEach, expect, it } from 'vitest';
import { createRealClock } from '../../../src/base/clock/real-clock.js';
import { HostPlaces } from '../../../src/base/host/host-places.js';
import { rootAt } from '../../../src/base/host/pinned.js';
import { useTemporaryDirectories } from '../../../test/support/temporary.js';
import { ContainerLog } from './container-log.js';

const temporary = useTemporaryDirectories();
/** What a container was given, and what it was not. */
let given: string;
let secret: string;
let path: string;
let places: HostPlaces;
const warnings: string[] = [];
beforeEach(async () => {
  const directory = temporary();
  given = join(directory, 'given');
  await mkdir(given);
  secret = join(directory, 'secret');
  await writeFile(secret, 'no newline');
  path = join(given, 'app', '0.log');
  places = new HostPlaces();
  warnings.length = 0;
});

/** A terminal's output has no frames. */
const output = '2026-01-02T03:04:05.000000001Z chosen content\n';

function createLog(): ContainerLog {
  const container = {
    logs: async () => Readable.from([Buffer.from(output)]),
  } as unknown as Dockerode.Container;
  const warn = (message: string) => warnings.push(message);
  return new ContainerLog({ container, path, tty: true, clock: createRealClock(), places, warn });
}

it('copies the output into the directories that it makes', async () => {
  const log = createLog();
  await log.create();
  await log.finish();
  expect(await readFile(path, 'utf8')).toMatch(/ stdout F chosen content\n$/);
  expect(warnings).toEqual([]);
});

it.each(['before it is made', 'and is found by the next server'])(
  'writes through no link that a container has put in the place of its log %s',
  async (when) => {
    await mkdir(join(given, 'app'));
    await symlink(secret, path);
    const log = createLog();
    if (when.startsWith('before')) await log.create().catch(() => {});
    await log.finish();
    expect(await readFile(secret, 'utf8')).toBe('no newline');
    expect(warnings).not.toEqual([]);
  },
);

it('cuts nothing off what a link leads to that looks like a rotated log', async () => {
  await mkdir(join(given, 'app'));
  await symlink(secret, `${path}.1`);
  await symlink(join(given, 'nothing'), `${path}.2`);
  await createLog().finish();
  expect(await readFile(secret, 'utf8')).toBe('no newline');
  expect(await readFile(path, 'utf8')).toMatch(/ stdout F chosen content\n$/);
});

it('leaves no directory that containers write through one of their links', async () => {
  await places.write(await rootAt(given));
  const outside = temporary();
  await symlink(outside, join(given, 'app'));
  const log = createLog();
  await expect(log.create()).rejects.toThrow('leaves');
  await log.finish();
  await expect(readFile(join(outside, '0.log'))).rejects.toThrow('ENOENT');
});

it('waits for nobody at the other end of a pipe', async () => {
  await mkdir(join(given, 'app'));
  execFileSync('mkfifo', [path]);
  const log = createLog();
  await expect(log.create()).rejects.toThrow();
  await log.finish();
  expect(warnings).not.toEqual([]);
});
