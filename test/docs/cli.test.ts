import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { createProgram } from '../../src/cli/program.js';

const page = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8');
const program = await createProgram();

/** The page's section for a command: from its heading to the next heading of that level. */
function sectionOf(name: string): string {
  const [, after = ''] = page.split(`\n## mockri ${name}\n`);
  return after.split('\n## ')[0] ?? '';
}

const flagsOf = (command: Command): string[] => [
  ...command.options.map((option) => option.long ?? option.short ?? ''),
  ...command.commands.flatMap(flagsOf),
];

const commands = program.commands.filter((command) => command.name() !== 'help');

test.each(commands.map((command) => [command.name(), command] as const))(
  'docs/cli.md has exactly the flags of mockri %s',
  (name, command) => {
    const written = new Set(sectionOf(name).match(/(?<=^\| `)--[a-z-]+/gm));
    expect([...written].sort()).toEqual([...new Set(flagsOf(command))].sort());
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
