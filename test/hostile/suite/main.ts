import { parseArgs } from 'node:util';
import { killVictims } from '../kit.js';
import { attack, type Result, surfaces } from './run.js';
import { runSoak } from './soak-run.js';

const USAGE = `Attacks a server on all surfaces and prints what was tried and what it did.

  npm run attack                            one minute for each surface
  npm run attack -- --hours 2               two hours, the same time for each surface
  npm run attack -- --inputs 1000000        so many inputs, or the time, whichever ends first
  npm run attack -- --surface YAML --seed 7
  npm run attack -- --soak --hours 1        lives of pods at a low rate; memory and descriptors each minute

HOSTILE_SERVER=PATH attacks another build, by its main.js. Exit code: 1 if a server crashed, hung or gave a wrong answer.
`;

const options = {
  hours: { type: 'string' },
  inputs: { type: 'string' },
  surface: { type: 'string', multiple: true },
  seed: { type: 'string', default: '1' },
  soak: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

function usage(message: string): never {
  process.stderr.write(`${message}\n\n${USAGE}`);
  process.exit(2);
}

function read() {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    return usage((error as Error).message);
  }
}

function positive(name: string, text: string): number {
  const number = Number(text);
  return number > 0 ? number : usage(`--${name} ${text}: expected a number greater than 0`);
}

function print(result: Result): void {
  const rate = Math.round(result.inputs / Math.max(1, result.seconds));
  process.stdout.write(`${JSON.stringify({ ...result, inputsPerSecond: rate })}\n`);
}

const values = read();
if (values.help) {
  process.stdout.write(USAGE);
} else {
  const hours = positive('hours', values.hours ?? (values.soak ? '1' : String(surfaces.length / 60)));
  process.once('SIGINT', () => {
    killVictims();
    process.exit(130);
  });
  if (values.soak) await runSoak(hours * 3_600_000);
  else {
    const names = surfaces.map(({ name }) => name);
    const unknown = values.surface?.find((name) => !names.includes(name));
    if (unknown !== undefined) usage(`--surface ${unknown}: expected one of ${names.join(', ')}`);
    const chosen = surfaces.filter(({ name }) => values.surface?.includes(name) ?? true);
    const most = values.inputs === undefined ? undefined : positive('inputs', values.inputs) / chosen.length;
    const results: Result[] = [];
    for (const surface of chosen) {
      const result = await attack(surface, {
        seed: values.seed,
        seconds: (hours * 3600) / chosen.length,
        most,
      });
      results.push(result);
      print(result);
    }
    const sum = (of: (result: Result) => number) => results.reduce((total, one) => total + of(one), 0);
    const wrong = sum((one) => one.wrong.length);
    const [inputs, crashes, hangs] = [
      sum((one) => one.inputs),
      sum((one) => one.crashes),
      sum((one) => one.hangs),
    ];
    process.stdout.write(`${JSON.stringify({ inputs, crashes, hangs, wrong })}\n`);
    process.exitCode = crashes + hangs + wrong > 0 ? 1 : 0;
  }
}
