import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';

const USAGE = `Runs test files many times on a machine that it keeps busy, and lists what failed, in how many runs.

  npm run test:stress -- test/node/clocked-program.test.ts
  npm run test:stress -- test/load src/base/clock --runs 50
  npm run test:stress -- test/load/cli.test.ts --tests 'gone during' --load 4
  npm run test:stress -- --seed 7 --runs 1          the seventh of these runs again

Without FILE all files of npm test; TESTS=all or TESTS=hostile: those of npm run test:all or test:hostile.

  --runs N       how often (default 10)
  --load N       processes that keep a core busy, next to one that writes to the disk all the time (default 8)
  --tests TEXT   only tests whose names match, as -t of vitest
  --seed N       the order of the files in the first run (default 1); each further run has the next

Exit code: 1 if a test failed in any run.
`;

const options = {
  runs: { type: 'string', default: '10' },
  load: { type: 'string', default: '8' },
  seed: { type: 'string', default: '1' },
  tests: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

const BUSY = 'for (;;);';

/** Each write must reach the disk before the next. */
const SLOW_DISK = `
  const fs = require('node:fs');
  const file = fs.openSync(process.argv[1], 'w');
  for (;;) { fs.writeSync(file, Buffer.alloc(1 << 20), 0, 1 << 20, 0); fs.fsyncSync(file); }`;

interface Failures {
  readonly seeds: number[];
  /** Of the first one. */
  readonly message: string;
}

/** The used fields of vitest's JSON report. */
interface Report {
  readonly success: boolean;
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

function usage(message: string): never {
  process.stderr.write(`${message}\n\n${USAGE}`);
  process.exit(2);
}

function read() {
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    return usage((error as Error).message);
  }
}

function whole(name: string, text: string, least: number): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= least) return number;
  return usage(`--${name} ${text}: expected a whole number from ${least} on`);
}

/** The tests that failed in one run, with the message of each. */
function failuresOf({ success, testResults }: Report): ReadonlyMap<string, string> {
  const failures = new Map<string, string>();
  for (const { name, message, assertionResults } of testResults) {
    const file = relative('.', name);
    const failed = assertionResults.filter(({ status }) => status === 'failed');
    for (const { fullName, failureMessages } of failed)
      failures.set(`${file}: ${fullName}`, failureMessages.join('\n'));
    if (message !== '' && failed.length === 0) failures.set(file, message);
  }
  if (!success && failures.size === 0) failures.set('an error outside of the tests', 'vitest prints it');
  return failures;
}

async function run(files: readonly string[], seed: number, tests: string | undefined, directory: string) {
  const output = join(directory, 'report.json');
  rmSync(output, { force: true });
  const args = ['node_modules/vitest/vitest.mjs', 'run', ...files, '--reporter=json', '--outputFile', output];
  if (tests !== undefined) args.push('-t', tests);
  const env = { TESTS: files.length === 0 ? 'fast' : '', ...process.env, SHUFFLE: String(seed) };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  await once(child, 'close');
  return failuresOf(JSON.parse(readFileSync(output, 'utf8')) as Report);
}

function print(failures: ReadonlyMap<string, Failures>, runs: number): void {
  for (const [name, { seeds, message }] of failures) {
    const lines = message.split('\n').filter((line) => !/^\s+at .*node_modules/.test(line));
    process.stdout.write(`\n${seeds.length} of ${runs} runs: ${name}\n  seeds ${seeds.join(', ')}\n`);
    for (const line of lines.slice(0, 30)) process.stdout.write(`  ${line}\n`);
  }
  process.stdout.write(`\n${failures.size} tests failed in any of ${runs} runs\n`);
}

const { values, positionals } = read();
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
const [runs, load] = [whole('runs', values.runs, 1), whole('load', values.load, 0)];
const first = whole('seed', values.seed, 0);
const directory = mkdtempSync(join(tmpdir(), 'mockri-stress-'));
const node = (...args: string[]): ChildProcess =>
  spawn(process.execPath, ['-e', ...args], { stdio: 'ignore' });
const burden = Array.from({ length: load }, () => node(BUSY));
if (load > 0) burden.push(node(SLOW_DISK, join(directory, 'disk')));
process.on('exit', () => {
  for (const child of burden) child.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

const failures = new Map<string, Failures>();
for (let seed = first; seed < first + runs; seed++) {
  const failed = await run(positionals, seed, values.tests, directory);
  for (const [name, message] of failed) {
    const before = failures.get(name);
    if (before === undefined) failures.set(name, { seeds: [seed], message });
    else before.seeds.push(seed);
  }
  process.stdout.write(`run ${seed - first + 1} of ${runs}, seed ${seed}: ${failed.size} failed\n`);
}
print(failures, runs);
process.exitCode = failures.size > 0 ? 1 : 0;
