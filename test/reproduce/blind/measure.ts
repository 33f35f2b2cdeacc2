import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { makers } from './cases.js';
import { missed } from './goals.js';
import { RUNS, rowOf } from './row.js';
import { type Row, withTables } from './table.js';
import { viewings } from './texts.js';

const page = 'docs/results/reproduce.md';

const program = new Command('measure')
  .description('asks reproduce about runs whose cause is known; continues where FILE ends')
  .requiredOption('--results <file>', 'rows of the table, one JSON a line')
  .option('--only <text>', 'cases whose name has this')
  .option('--viewing <name>', `one of ${viewings.join(', ')}`)
  .option('--kind <kind>', 'incident, finding or no fault')
  .option('--runs <number>', 'runs of one search', Number, RUNS)
  .option('--table', `writes the tables of ${page} from FILE, and asks nothing`)
  .option('--goals', 'asks nothing, and fails if the answers in FILE are worse than the goals')
  .parse();
const { results, only, viewing, kind, runs, table, goals } = program.opts<{
  results: string;
  only?: string;
  viewing?: string;
  kind?: string;
  runs: number;
  table?: true;
  goals?: true;
}>();

const rows = (): Row[] =>
  existsSync(results)
    ? readFileSync(results, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Row)
    : [];

if (table) writeFileSync(page, withTables(readFileSync(page, 'utf8'), rows()));
else if (goals) {
  const problems = missed(rows());
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
} else {
  const done = new Set(rows().map((row) => `${row.name} ${row.viewing}`));
  for (const each of viewings.filter((name) => viewing === undefined || name === viewing))
    for (const maker of makers) {
      if (done.has(`${maker.name} ${each}`) || !maker.name.includes(only ?? '')) continue;
      if (kind !== undefined && maker.kind !== kind) continue;
      const row = await rowOf(maker, each, runs);
      appendFileSync(results, `${JSON.stringify(row)}\n`);
      console.log(JSON.stringify(row));
    }
}
