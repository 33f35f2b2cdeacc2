import { CommanderError } from 'commander';
import { expect, test, vi } from 'vitest';
import { createProgram } from './program.js';
import { usageText } from './usage.js';

/** What is told of a command line: the error's text. */
async function told(line: string): Promise<string | undefined> {
  const args = line.split(' ');
  const program = await createProgram(args[0]);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    return error instanceof CommanderError ? usageText(error) : (error as Error).message;
  }
  throw new Error('it was understood');
}

test.each([
  ['serv', 'no command is called "serv"; did you mean "serve"?'],
  ['nonsense', 'no command is called "nonsense"; "mockri help" lists them'],
  ['help serv', 'no command is called "serv"; did you mean "serve"?'],
  ['help nonsense', 'no command is called "nonsense"; there are: serve, fault, watch, '],
  ['help fault ad', 'fault: no command is called "ad"; did you mean "add"?'],
  ['fault help rmm', 'fault: no command is called "rmm"; did you mean "rm"?'],
  ['fault ad', 'no command is called "ad"; did you mean "add"?'],
  ['conformance compar a', 'conformance: no command is called "compar"; did you mean "compare"?'],
  ['serve extra', 'serve takes options only; given "extra" too'],
  ['fault add a b', 'fault add takes 1 argument at most; given "b" too'],
  ['serve --lisen x', 'unknown option "--lisen"; did you mean "--listen"?'],
  [
    'simulate x --output tabel',
    '--output: expected table, json, events, timeline; given "tabel"; did you mean "table"?',
  ],
  ['simulate --seed', 'option "--seed <seed>" needs a value'],
  ['simulate', 'give a scenario: '],
  ['fault rm', 'missing required argument "name"'],
  [
    'conformance compare a --write /nowhere/a.html',
    "--write /nowhere/a.html: it can't be written there (ENOENT)",
  ],
  ['conformance compare a', 'required option "--write <file.html>" not specified'],
  [
    'watch --method StartContianer',
    '--method: unknown RPC; did you mean "StartContainer"?; given "StartContianer"',
  ],
  ['simulate x --json --output json', 'option "--json" cannot be used with option "--output <format>"'],
  ['simulate x --real --socket', 'option "--real" cannot be used with option "--socket"'],
  ['conformance --parallel 1e9', '--parallel: expected a whole number from 1 to 64; given "1e9"'],
  ['conformance --control foo', '--control: expected a URL as the ready line of mockri serve has it'],
  ['conformance --endpoint foo', '--endpoint: "foo" is no endpoint; write unix:///run/mockri.sock, a path'],
  [
    'conformance --endpoint /x --write /nowhere/a.json',
    "--write /nowhere/a.json: it can't be written there (ENOENT)",
  ],
  ['serve --backend remote --remote-endpoint foo --control off', '--remote-endpoint: "foo" is no endpoint'],
  ['watch --count x', '--count: expected a whole number from 1; given "x"'],
])('mockri %s', async (line, text) => {
  expect(await told(line)).toMatch(new RegExp(`^${text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')}`));
});

test.each([
  ['help', /^Usage: mockri \[options\]/],
  ['help serve', /^Usage: mockri serve/],
  ['help fault add', /^Usage: mockri fault add/],
  ['fault help list', /^Usage: mockri fault ls/],
])('mockri %s', async (line, text) => {
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const args = line.split(' ');
  await (await createProgram(args[0])).parseAsync(args, { from: 'user' });
  const [output] = written.mock.calls[0] ?? [];
  written.mockRestore();
  expect(output).toMatch(text);
});
