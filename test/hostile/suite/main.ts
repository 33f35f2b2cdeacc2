import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { killVictims } from '../kit.js';
import { attack, type Result, surfaces } from './run.js';

const USAGE = `Attacks a server.

  npm run test:hostile                      the tests of test/hostile
  npm run test:hostile -- --hours 2         all surfaces of one server at the same time, for two hours
  npm run test:hostile -- --surface YAML --surface shell --hours 0.1 --seed 7
  npm run test:hostile -- --soak --hours 1  only lives of pods at a low rate: what a server keeps of them

Each minute it prints memory, the time that Version takes and what was tried, at last a verdict. The server may have at
most 600 MB, and answers Version within 100 ms at the median and 1 s at most: measure the time on an idle machine.

  --hours N       how long (default 1)
  --surface NAME  only these: SURFACES
  --seed N        of what is tried (default 1)

HOSTILE_SERVER=PATH attacks another build, by its main.js. Exit code: 1 if a limit did not hold, the server crashed, hung or
gave a wrong answer; 130 after Ctrl-C.
`;

const options = {
  hours: { type: 'string', default: '1' },
  surface: { type: 'string', multiple: true },
  seed: { type: 'string', default: '1' },
  soak: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** In MB. */
const MOST_MEMORY = 600;
/** In ms. */
const MOST_MEDIAN = 100;
const MOST_TIME = 1000;

const names = surfaces.map(({ name }) => name);
const usage = USAGE.replace('SURFACES', names.join(', '));

function refuse(message: string): never {
  process.stderr.write(`${message}\n\n${usage}`);
  process.exit(2);
}

function read() {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    return refuse((error as Error).message);
  }
}

function summary(times: readonly number[]): { median: number; most: number } {
  const sorted = times.toSorted((one, other) => one - other);
  return { median: sorted[sorted.length >> 1] ?? Number.NaN, most: sorted.at(-1) ?? Number.NaN };
}

const ms = (time: number): string => `${Math.round(time * 10) / 10} ms`;
const print = (line: string) => process.stdout.write(`${line}\n`);

function judge(result: Result, times: readonly number[]): readonly string[] {
  const { median, most } = summary(times);
  return [
    ...result.wrong,
    ...(result.peak < MOST_MEMORY
      ? []
      : [`${Math.round(result.peak)} MB of memory; allowed are ${MOST_MEMORY}`]),
    ...(median <= MOST_MEDIAN
      ? []
      : [`Version took ${ms(median)} at the median; allowed are ${MOST_MEDIAN} ms`]),
    ...(most <= MOST_TIME ? [] : [`Version took up to ${ms(most)}; allowed are ${MOST_TIME} ms`]),
  ];
}

async function main(): Promise<void> {
  const values = read();
  if (values.help) return void process.stdout.write(usage);
  const hours = Number(values.hours);
  if (!(hours > 0)) refuse(`--hours ${values.hours}: expected a number greater than 0`);
  const wanted = values.soak ? ['lives of pods'] : (values.surface ?? names);
  const unknown = wanted.find((name) => !names.includes(name));
  if (unknown !== undefined) refuse(`--surface ${unknown}: expected one of ${names.join(', ')}`);

  const stop = new AbortController();
  process.once('exit', killVictims);
  process.once('SIGINT', () => {
    process.exitCode = 130;
    stop.abort();
    killVictims();
  });
  const [times, ofMinute]: [number[], number[]] = [[], []];
  let probe: ChildProcess | undefined;
  let minutes = 0;
  const result = await attack(
    surfaces.filter(({ name }) => wanted.includes(name)),
    {
      seed: values.seed,
      seconds: hours * 3600,
      signal: stop.signal,
      onStart: async ({ socket }) => {
        const client = fork(fileURLToPath(new URL('./probe.ts', import.meta.url)), [socket]);
        probe = client;
        client.on('message', (time: number) => {
          times.push(time);
          ofMinute.push(time);
        });
        // Its connection is made before the attacks take all that a server accepts.
        await Promise.race([once(client, 'message'), once(client, 'exit')]);
      },
      onMinute: (victim, { inputs, refused, peak }) => {
        const { median, most } = summary(ofMinute.splice(0));
        const memory = `${Math.round(victim.resident() / 1e6)} MB (${Math.round(peak)} at most)`;
        const files = `${victim.descriptors()} descriptors`;
        print(
          `${++minutes} min: ${memory}, ${files}; Version ${ms(median)}, ${ms(most)} at most; ${inputs} inputs, ${refused} refused`,
        );
      },
    },
  );
  probe?.kill();
  const failures = stop.signal.aborted ? result.wrong : judge(result, times);
  const { median, most } = summary(times);
  print(`${Math.round(result.peak)} MB, Version ${ms(median)} at the median, ${ms(most)} at most`);
  print(failures.length === 0 ? `ok: ${result.inputs} inputs` : `failed: ${failures.join('\n        ')}`);
  if (failures.length > 0) process.exitCode ??= 1;
}

if (process.argv.length > 2) await main();
else
  process.exitCode =
    spawnSync('vitest', ['run'], { stdio: 'inherit', env: { ...process.env, TESTS: 'hostile' } }).status ?? 1;
