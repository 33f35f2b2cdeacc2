/**
 * Random tests draw the same inputs in each run, so that none fails by chance. `npm run test:stress` draws others in
 * each of its runs; a failure names its seed.
 */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.SHUFFLE ?? 1) });
