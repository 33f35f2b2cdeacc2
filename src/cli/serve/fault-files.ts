import { watch } from 'node:fs';
import { dirname } from 'node:path';
import type { Logger } from 'pino';
import type { Clock, Timer } from '../../clock/clock.js';
import type { Faults } from '../../faults/faults.js';
import { parseFaultFile } from '../../faults/language/file.js';
import { readTextFile } from '../../input/text-file.js';

/** A file that is written is read when it has been still for so long, in ms. */
const STILL = 50;

/** How often it is looked at anyhow, in ms: what a link points to, or a new directory, tells no watcher. */
const POLL = 1000;

/** Where the rules of files go, and who is told of changes. */
export interface FaultFilesOptions {
  readonly faults: Faults;
  readonly clock: Clock;
  readonly log: Logger;
  /** Wins over the seeds in the files. */
  readonly seed: number | undefined;
}

/**
 * Puts the rules of files into force and does so again whenever a file's content changes; a file with mistakes
 * leaves its old rules in force, except at first: then it throws InputError. Returns how to stop watching.
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
  log.info({ file, rules: apply() }, 'fault rules are in force');

  let problem: string | undefined;
  const readAgain = () => {
    try {
      const fresh = read(file);
      problem = undefined;
      if (fresh === content) return;
      content = fresh;
      log.info({ file, rules: apply() }, 'the fault rules have changed');
    } catch (error) {
      const { message } = error as Error;
      if (message !== problem) log.error({ file }, `the old fault rules stay in force: ${message}`);
      problem = message;
    }
  };
  let polling: Timer;
  const poll = () => {
    readAgain();
    polling = clock.setTimer(POLL, poll);
  };
  polling = clock.setTimer(POLL, poll);
  // The directory is watched: editors and mounted ConfigMaps put a new file in the old one's place.
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
