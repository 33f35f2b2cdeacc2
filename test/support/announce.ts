import { isThorough } from './thorough.js';

/** Says at the start of a run how much of the slow tests it holds. */
export function setup(): void {
  const text = isThorough
    ? 'all seeds and cases of the slow tests'
    : 'a sample of the slow tests; `npm run test:all` runs all of them';
  process.stdout.write(`Tests: ${text}.\n`);
}
