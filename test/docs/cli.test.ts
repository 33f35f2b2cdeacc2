import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createProgram } from '../../src/cli/program.js';
import { optionTable } from './option-table.js';

const file = new URL('../../docs/cli.md', import.meta.url);
const page = readFileSync(file, 'utf8');
const program = await createProgram();

/** The page's section for a command: from its heading to the next heading of that level. */
function sectionOf(name: string): string {
  const [, after = ''] = page.split(`\n## mockri ${name}\n`);
  return after.split('\n## ')[0] ?? '';
}

const commands = program.commands.filter((command) => command.name() !== 'help');

/** A table of options. */
const TABLE = /^\| option +\|.*\n(?:\|.*\n)+/m;

/** `UPDATE_DOCS=1 npx vitest run test/docs/cli.test.ts` writes the tables. */
test.each(commands.map((command) => [command.name(), command] as const))(
  'docs/cli.md has the options of mockri %s as --help has them',
  (name, command) => {
    const expected =
      command.options.length + command.commands.length === 0 ? undefined : optionTable(command);
    const [written] = TABLE.exec(sectionOf(name)) ?? [];
    if (process.env.UPDATE_DOCS && written !== undefined && expected !== undefined)
      writeFileSync(
        file,
        readFileSync(file, 'utf8').replace(written, () => `${expected}\n`),
      );
    else expect(written?.trimEnd()).toBe(expected);
  },
);

test('docs/cli.md has only existing commands', () => {
  const written = [...page.matchAll(/^## mockri (\S+)$/gm)].map(([, name]) => name);
  expect(written.sort()).toEqual(commands.map((command) => command.name()).sort());
});

test.each(commands.map((command) => [command.name(), command] as const))(
  'help of mockri %s shows examples',
  (_, command) => {
    let help = '';
    command.configureOutput({
      writeOut: (text) => {
        help += text;
      },
    });
    command.outputHelp();
    expect(help).toMatch(/Examples:\n {2}(\$ )?mockri /);
  },
);
