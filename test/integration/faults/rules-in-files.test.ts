import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createVirtualClock } from '../../../src/base/clock/virtual-clock.js';
import {
  type FaultFilesOptions,
  followFaultFiles,
  POLL,
  STILL,
} from '../../../src/cli/commands/serve/fault-files.js';
import { FaultRegistry } from '../../../src/runtime/faults/matching/registry.js';
import { useTemporaryDirectories } from '../../support/temporary.js';
import { until } from '../../support/turns.js';

const temporary = useTemporaryDirectories();
let directory: string;
beforeEach(() => {
  directory = temporary();
});

describe('a file', () => {
  /** Follows a file; what was logged, and how to stop. `timers` are the waits that the watcher began, in ms. */
  function follow(file: string, seed?: number) {
    const clock = createVirtualClock();
    const timers: number[] = [];
    const log: string[] = [];
    const logger = pino({}, { write: (line) => void log.push(JSON.parse(line).msg) });
    const registry = new FaultRegistry({
      clock,
      seed: 1,
      conditions: () => ({ runtime: true, network: true }),
    });
    const options: FaultFilesOptions = {
      faults: { registry },
      clock: {
        ...clock,
        setTimer: (delay, action) => {
          timers.push(delay);
          return clock.setTimer(delay, action);
        },
      },
      log: logger,
      seed,
    };
    const stop = followFaultFiles([file], options);
    return { clock, timers, registry, log, stop, names: () => registry.list().map(({ name }) => name) };
  }

  const rules = (...names: string[]) =>
    `version: 1\nfaults:\n${names.map((name) => `  - {name: ${name}, match: {method: Version}, then: {hang: {}}}\n`).join('')}`;

  test('is read again when it changes; a file with mistakes changes nothing', async () => {
    const file = join(directory, 'faults.yaml');
    writeFileSync(file, rules('a', 'b'));
    const { clock, registry, log, stop, names } = follow(file);
    try {
      expect(names()).toEqual(['a', 'b']);
      registry.decide('call', { method: 'Version', connection: 1, subject: () => ({}), request: () => ({}) });
      writeFileSync(file, rules('b', 'c').replace('{name: c', '{name: c, whne: {times: 1}'));
      await clock.advance(POLL);
      expect(log).toHaveLength(2);
      expect(log[1]).toBe(
        `the old fault rules stay active: ${file}:4:15: faults[1].whne: unknown key; did you mean "when"?`,
      );
      expect(names()).toEqual(['a', 'b']);
      // As editors do it: a new file takes the old one's place.
      writeFileSync(`${file}~`, rules('b', 'c'));
      renameSync(`${file}~`, file);
      await clock.advance(POLL);
      expect(log).toHaveLength(3);
      expect(names()).toEqual(['b', 'c']);
      // A rule that stays keeps its counters.
      expect(registry.list().map(({ seen }) => seen)).toEqual([1, 0]);
      rmSync(file);
      await clock.advance(POLL);
      expect(log).toHaveLength(4);
      expect(log[3]).toMatch(/can't be read: there is no such file/);
      // It says so once.
      writeFileSync(file, rules('e'));
      await clock.advance(POLL);
      expect(names()).toEqual(['e']);
      expect(log).toHaveLength(5);
    } finally {
      stop();
    }
  });

  test('is read before the next poll when the watcher reports a change', async () => {
    const file = join(directory, 'watched.yaml');
    writeFileSync(file, rules('a'));
    const { clock, timers, stop, names } = follow(file);
    try {
      writeFileSync(file, rules('b'));
      await until(() => timers.includes(STILL));
      await clock.advance(STILL);
      expect(names()).toEqual(['b']);
      expect(clock.elapsed()).toBeLessThan(POLL);
    } finally {
      stop();
    }
  });

  test('is read again when the target of a link changes, or its directory is replaced', async () => {
    const [here, there] = [join(directory, 'here'), join(directory, 'there')];
    for (const each of [here, there]) mkdirSync(each);
    writeFileSync(join(there, 'real.yaml'), rules('a'));
    symlinkSync(join(there, 'real.yaml'), join(here, 'faults.yaml'));
    const { clock, stop, names } = follow(join(here, 'faults.yaml'));
    try {
      writeFileSync(join(there, 'real.yaml'), rules('b'));
      await clock.advance(POLL);
      expect(names()).toEqual(['b']);
      mkdirSync(`${here}.new`);
      renameSync(here, `${here}.old`);
      writeFileSync(join(`${here}.new`, 'faults.yaml'), rules('c'));
      renameSync(`${here}.new`, here);
      await clock.advance(POLL);
      expect(names()).toEqual(['c']);
      writeFileSync(join(here, 'faults.yaml'), rules('d'));
      await clock.advance(POLL);
      expect(names()).toEqual(['d']);
    } finally {
      stop();
    }
  });

  test('in a mounted ConfigMap is read again when the directory is swapped', async () => {
    const mount = join(directory, 'mount');
    const put = (version: string, name: string) => {
      mkdirSync(join(mount, version), { recursive: true });
      writeFileSync(join(mount, version, 'faults.yaml'), rules(name));
      symlinkSync(version, join(mount, '..next'));
      renameSync(join(mount, '..next'), join(mount, '..data'));
    };
    put('..1', 'a');
    symlinkSync('..data/faults.yaml', join(mount, 'faults.yaml'));
    const { clock, stop, names } = follow(join(mount, 'faults.yaml'));
    try {
      put('..2', 'b');
      await clock.advance(POLL);
      expect(names()).toEqual(['b']);
    } finally {
      stop();
    }
  });

  test.each([
    [undefined, 7],
    [5, 5],
  ])('has its seed, unless the command has one (%s)', (given, used) => {
    const file = join(directory, 'seed.yaml');
    writeFileSync(file, `seed: 7\n${rules('a')}`);
    const replaced = vi.spyOn(FaultRegistry.prototype, 'replaceSource');
    follow(file, given).stop();
    expect(replaced.mock.lastCall?.slice(1)).toEqual([file, used]);
  });

  test('with mistakes is rejected at the start', () => {
    const file = join(directory, 'bad.yaml');
    writeFileSync(file, 'version: 1\nfaults:\n  - match: {method: Verson}\n    then: {hang: {}}\n');
    expect(() => follow(file)).toThrow(
      `${file}:3:13: faults[0].match.method: unknown RPC "Verson"; did you mean "Version"?`,
    );
  });
});
