import { isThorough } from './thorough.js';

/** Prints at the start of a run how many of the slow tests it contains. */
export function setup(): void {
  const text = isThorough
    ? 'all seeds and cases of the slow tests'
    : 'a sample of the slow tests; `npm run test:all` runs all of them';
  process.stdout.write(`Tests: ${text}.\n`);
}
