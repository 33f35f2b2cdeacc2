import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createProgram } from '../../src/cli/program.js';

const file = new URL('../../docs/cli.md', import.meta.url);
const page = readFileSync(file, 'utf8');
const program = await createProgram();

const commands = program.commands.filter((command) => command.name() !== 'help');

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
