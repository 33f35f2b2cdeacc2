import { watch } from 'node:fs';
import { dirname } from 'node:path';
import type { Logger } from 'pino';
import type { Clock, Timer } from '../../../base/clock/clock.js';
import { readTextFile } from '../../../base/input/text-file.js';
import { parseFaultFile } from '../../../runtime/faults/language/file.js';
import type { FaultRules } from '../../../runtime/faults/matching/registry.js';

/** A changed file is read after this time without further changes, in ms. */
export const STILL = 50;

/** Poll interval in ms: watchers do not report changes of a symlink's target or a new directory. */
export const POLL = 1000;

export interface FaultFilesOptions {
  readonly faults: { readonly registry: Pick<FaultRules, 'replaceSource'> };
  readonly clock: Clock;
  readonly log: Logger;
  readonly seed: number | undefined;
}

/**
 * Applies the rules of files, and reapplies them when a file changes. If a changed file has mistakes, its old rules
 * stay active; a mistake at the start throws InputError. Returns a function that stops watching.
 */
export function followFaultFiles(files: readonly string[], options: FaultFilesOptions): () => void {
  const stops = files.map((file) => follow(file, options));
  return () => {
    for (const stop of stops) stop();
  };
}

function follow(file: string, { faults, clock, log, seed }: FaultFilesOptions): () => void {
  let content = read(file);
  const apply = () => {
    const parsed = parseFaultFile(content, file);
    faults.registry.replaceSource(parsed.faults, file, seed ?? parsed.seed);
    return parsed.faults.length;
  };
  log.info({ file, rules: apply() }, 'fault rules are active');

  let problem: string | undefined;
  const readAgain = () => {
    try {
      const fresh = read(file);
      problem = undefined;
      if (fresh === content) return;
      content = fresh;
      log.info({ file, rules: apply() }, 'fault rules reloaded');
    } catch (error) {
      const { message } = error as Error;
      if (message !== problem) log.error({ file }, `the old fault rules stay active: ${message}`);
      problem = message;
    }
  };
  let polling: Timer;
  const poll = () => {
    readAgain();
    polling = clock.setTimer(POLL, poll);
  };
  polling = clock.setTimer(POLL, poll);
  // Watches the directory, because editors and mounted ConfigMaps replace the file.
  let timer: Timer | undefined;
  const watcher = watch(dirname(file), () => {
    timer?.cancel();
    timer = clock.setTimer(STILL, readAgain);
  });
  watcher.on('error', () => {});
  return () => {
    polling.cancel();
    timer?.cancel();
    watcher.close();
  };
}

const read = (file: string): string => readTextFile(file, '--faults');
