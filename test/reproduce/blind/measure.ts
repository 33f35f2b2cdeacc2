import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { apartAgain } from './apart-again.js';
import { ask } from './ask.js';
import { makers } from './cases.js';
import { type Row, withTables } from './table.js';
import { viewings } from './texts.js';

const page = 'docs/results/reproduce.md';

/** Runs of one search. */
const RUNS = 300;

const program = new Command('measure')
  .description('asks reproduce about runs whose cause is known; continues where FILE ends')
  .requiredOption('--results <file>', 'rows of the table, one JSON a line')
  .option('--only <text>', 'cases whose name has this')
  .option('--viewing <name>', `one of ${viewings.join(', ')}`)
  .option('--kind <kind>', 'incident, finding or no fault')
  .option('--runs <number>', 'runs of one search', Number, RUNS)
  .option('--table', `writes the tables of ${page} from FILE, and asks nothing`)
  .parse();
const { results, only, viewing, kind, runs, table } = program.opts<{
  results: string;
  only?: string;
  viewing?: string;
  kind?: string;
  runs: number;
  table?: true;
}>();

const rows = (): Row[] =>
  existsSync(results)
    ? readFileSync(results, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Row)
    : [];

if (table) writeFileSync(page, withTables(readFileSync(page, 'utf8'), rows()));
else {
  const done = new Set(rows().map((row) => `${row.name} ${row.viewing}`));
  for (const each of viewings.filter((name) => viewing === undefined || name === viewing))
    for (const maker of makers) {
      if (done.has(`${maker.name} ${each}`) || !maker.name.includes(only ?? '')) continue;
      if (kind !== undefined && maker.kind !== kind) continue;
      const row = await measured(maker, each);
      appendFileSync(results, `${JSON.stringify(row)}\n`);
      console.log(JSON.stringify(row));
    }
}

async function measured(maker: (typeof makers)[number], each: (typeof viewings)[number]): Promise<Row> {
  const { place, isHidden, result, seconds } = await ask(await maker.make(), each, runs);
  return {
    name: maker.name,
    kind: maker.kind,
    viewing: each,
    isHidden,
    place,
    answers: result.causes.map(({ key, fit, schedule, version }) => ({
      key,
      fit,
      version,
      text: schedule.map((one) => one.text).join('; and '),
    })),
    runs: result.runs,
    seconds: Math.round(seconds * 10) / 10,
    apart: await apartAgain(result),
  };
}
