/**
 * fast-check for all tests: properties draw the same inputs in each run, so that none fails by chance.
 * `npm run test:stress` draws others in each of its runs; a failure shows its seed.
 */
// biome-ignore lint/style/noRestrictedImports: here its seed is fixed
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.SHUFFLE ?? 1) });

export default fc;
