import { readdirSync, readFileSync } from 'node:fs';

/**
 * The three parts of the tests (CONTRIBUTING.md), selected by the variable TESTS in the scripts of package.json.
 * Without it, as with `npx vitest run FILE`, a run has every file, with samples of slow checks.
 */
const tiers = { fast: 'npm test', all: 'npm run test:all', hostile: 'npm run test:hostile' } as const;

type Tier = keyof typeof tiers;

const isTier = (name: string): name is Tier => name in tiers;

/** The part that this run executes, or undefined. */
export const tier: Tier | undefined = readTier(process.env.TESTS ?? '');

/** The command of this run. */
export const command = tier === undefined ? 'vitest' : tiers[tier];

function readTier(name: string): Tier | undefined {
  if (name === '' || isTier(name)) return name || undefined;
  throw new Error(`TESTS=${name}: expected one of ${Object.keys(tiers).join(', ')}`);
}

/** The test files of this run. */
export function testFiles(): readonly string[] {
  const files = ['src', 'adapters', 'test']
    .flatMap((top) => (readdirSync(top, { recursive: true }) as string[]).map((name) => `${top}/${name}`))
    .filter((name) => name.endsWith('.test.ts') && !name.startsWith('test/peers/'));
  return tier === undefined ? files : files.filter((file) => isIn(tier, file));
}

function isIn(one: Tier, file: string): boolean {
  const isHostile = file.startsWith('test/hostile/');
  if (one === 'hostile' || isHostile) return one === 'hostile' && isHostile;
  const isSlow = file.endsWith('.slow.test.ts');
  return one === 'fast' ? !isSlow : isSlow || takesSamples(file);
}

/** A file that samples its seeds and cases belongs to two parts: with few of them, and with all. */
const takesSamples = (file: string): boolean =>
  /from '[./]+\/support\/thorough\.js'/.test(readFileSync(file, 'utf8'));
