import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.js';
import { testFiles, tier } from './test/support/tiers.js';
import { Totals } from './test/support/totals.js';

const source = (part: string) => fileURLToPath(new URL(`./src/${part}/index.ts`, import.meta.url));

/** The order of the files, for `npm run test:stress`. */
const seed = process.env.SHUFFLE;

export default defineConfig({
  // The package's own name, as its users import it, without a build.
  resolve: {
    alias: {
      'mockri/testing': source('testing'),
      'mockri/simulation': source('lab/scenario'),
      'mockri/tape': source('tape/judge'),
    },
  },
  test: {
    include: [...testFiles()],
    reporters: ['default', new Totals()],
    // The files of a worker share the modules that they import, whose loading would take as long as the tests. So a module
    // of test/support registers no hook when it is loaded, and what a test replaces is put back.
    isolate: false,
    // Tests leave much garbage: with the default size, its collection takes a tenth of their time.
    execArgv: ['--max-semi-space-size=32'],
    // What was transformed once is read from node_modules the next time: writing it makes a whole run slower.
    experimental: { fsModuleCache: tier === undefined },
    restoreMocks: true,
    unstubEnvs: true,
    sequence:
      seed === undefined ? { sequencer: LongestFirst } : { shuffle: { files: true }, seed: Number(seed) },
    // Only for tests that hang: a busy machine takes ten times as long as an idle one. No test has less.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    // One more than cores: a part of the tests waits for processes and for real time.
    maxWorkers: availableParallelism() + 1,
  },
});
