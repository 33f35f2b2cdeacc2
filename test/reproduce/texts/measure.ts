import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { answerTo } from './answer.js';
import { type TextCase, textCases } from './cases.js';

const PAGE = 'docs/results/reproduce.md';
const BEGIN = '<!-- texts: made by test/reproduce/texts/measure.ts -->';
const END = '<!-- end of texts -->';

/** A line of the table. */
interface Row {
  readonly name: string;
  readonly read: string;
  readonly unread: string;
  readonly answer: string;
}

const { results, only, table } = new Command('measure')
  .description('gives each text of test/reproduce/texts/cases to reproduce; continues where FILE ends')
  .requiredOption('--results <file>', 'rows of the table, one JSON a line')
  .option('--only <names>', 'these texts, separated by commas')
  .option('--table', `writes the table of ${PAGE} from FILE, and asks nothing`)
  .parse()
  .opts<{ results: string; only?: string; table?: true }>();

const rows = (): Row[] =>
  existsSync(results)
    ? readFileSync(results, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Row)
    : [];

if (table) writeTable(rows());
else
  for (const each of textCases) {
    if (only !== undefined && !only.split(',').includes(each.name)) continue;
    if (rows().some(({ name }) => name === each.name)) continue;
    const row = await measured(each);
    appendFileSync(results, `${JSON.stringify(row)}\n`);
    console.log(JSON.stringify(row));
  }

async function measured(given: TextCase): Promise<Row> {
  const { seen, result } = await answerTo(given).catch((error: unknown) => ({
    seen: [],
    result: String(error),
  }));
  if (typeof result === 'string') return { name: given.name, read: '', unread: '', answer: result };
  const lines = seen.reduce((sum, each) => sum + each.lines.unread, 0);
  const all = seen.reduce((sum, each) => sum + each.lines.unread + each.lines.read, 0);
  const [first] = result.causes;
  return {
    name: given.name,
    read: seen.flatMap(({ parts }) => parts).join(', '),
    unread: lines === 0 ? '' : `${lines} of ${all} lines`,
    answer: first === undefined ? 'none' : `${first.verdict} (${first.fit.toFixed(2)}): ${first.cause}`,
  };
}

function writeTable(made: readonly Row[]): void {
  const page = readFileSync(PAGE, 'utf8');
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from < 0 || to < 0) throw new Error(`${PAGE} has no place for the table`);
  const lines = textCases.flatMap((given) => {
    const row = made.find(({ name }) => name === given.name);
    if (row === undefined) return [];
    const cells = [`[${given.title}](${given.url})`, given.manifest, row.read, row.unread, row.answer];
    return [`| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`];
  });
  const head = ['| text | manifest | what is read | not read | answer |', '| --- | --- | --- | --- | --- |'];
  const text = [...head, ...lines].join('\n');
  writeFileSync(PAGE, `${page.slice(0, from + BEGIN.length)}\n\n${text}\n\n${page.slice(to)}`);
}
