import { CommanderError } from 'commander';
import { expect, test, vi } from 'vitest';
import { createProgram } from './program.js';
import { usageText } from './usage.js';

/** The error text for a command line. */
async function errorOf(line: string): Promise<string | undefined> {
  const args = line.split(' ');
  const program = await createProgram(args[0]);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    return error instanceof CommanderError ? usageText(error) : (error as Error).message;
  }
  throw new Error('no error');
}

test.each([
  ['serv', 'unknown command "serv"; did you mean "serve"?'],
  ['nonsense', 'unknown command "nonsense"; "mockri help" lists all commands'],
  ['help serv', 'unknown command "serv"; did you mean "serve"?'],
  ['help nonsense', 'unknown command "nonsense"; available commands: serve, fault, watch, '],
  ['help simulate simulate', 'simulate has no subcommands; given "simulate"'],
  ['simulate ', 'expected a manifest or a scenario; given ""'],
  ['serve --config=', '--config: expected the name of a file; given ""'],
  ['help fault ad', 'fault: unknown command "ad"; did you mean "add"?'],
  ['fault help rmm', 'fault: unknown command "rmm"; did you mean "rm"?'],
  ['fault lst', 'unknown command "lst"; did you mean "ls"?'],
  [
    'fault node NodeDwon --node x',
    '<kind>: expected NodeDown, KubeletRestart, RuntimeRestart, SlowDisk; given "NodeDwon"; did you mean "NodeDown"?',
  ],
  [
    'fault node NodeDown --node x --for abc',
    '--for: expected a duration such as "250ms", "1.5s" or "1h30m"; given "abc"',
  ],
  ['fault rm a ', '<name>: expected the name of a rule; given ""'],
  ['fault ad', 'unknown command "ad"; did you mean "add"?'],
  ['conformance compar a', 'conformance: unknown command "compar"; did you mean "compare"?'],
  ['completion tcsh', '<shell>: expected bash, zsh, fish; given "tcsh"'],
  ['completion zhs', '<shell>: expected bash, zsh, fish; given "zhs"; did you mean "zsh"?'],
  ['serve extra', 'serve takes no arguments; given "extra" too'],
  ['fault add a b', 'fault add takes at most 1 argument; given "b" too'],
  ['reproduce web --sav x', 'unknown option "--sav"; did you mean "--saw"?'],
  ['reproduce web', 'required option "--saw <file>" not specified'],
  ['serve --lisen x', 'unknown option "--lisen"; did you mean "--listen"?'],
  [
    'simulate x --output tabel',
    '--output: expected table, json, events, timeline, html, matrix; given "tabel"; did you mean "table"?',
  ],
  ['simulate --seed', 'option "--seed <seed>" needs a value'],
  ['simulate', 'specify manifests or a scenario: '],
  ['fault rm', 'missing required argument "name"'],
  [
    'conformance compare a --write /nowhere/a.html',
    '--write: there is no such directory; given "/nowhere/a.html"',
  ],
  ['conformance compare a', "a: it can't be read: there is no such file"],
  [
    'watch --method StartContianer',
    '--method: unknown RPC; did you mean "StartContainer"?; given "StartContianer"',
  ],
  ['simulate x --json --output json', 'option "--json" cannot be used with option "-o, --output <format>"'],
  ['simulate x --real --socket', 'option "--real" cannot be used with option "--socket"'],
  ['conformance --parallel 1e9', '--parallel: expected a whole number from 1 to 64; given "1e9"'],
  ['conformance --control 127.0.0.1:1 --endpoint foo', '--endpoint: "foo" is not an endpoint'],
  ['conformance --control foo', '--control: expected the control URL in the ready line of mockri serve'],
  [
    'conformance --endpoint foo',
    '--endpoint: "foo" is not an endpoint; write unix:///run/mockri.sock, a path',
  ],
  [
    'conformance --endpoint /x --write /nowhere/a.json',
    '--write: there is no such directory; given "/nowhere/a.json"',
  ],
  // What is wrong with an option is said before anything is read or connected to.
  ['conformance --list --endpoint foo', '--endpoint: "foo" is not an endpoint'],
  ['conformance --list --write a.exe', '--write: expected a file that ends in one of tap, xml, json, html'],
  ['tape replay /nosuch.tape --endpoint foo', '--endpoint: "foo" is not an endpoint'],
  ['diff /a foo --known /nosuch', '<b>: "foo" is not an endpoint'],
  ['kubelet --config /nosuch --container-runtime-endpoint foo', '--container-runtime-endpoint: "foo" is no'],
  [
    'kubelet --config /nosuch --feature-gates A=1',
    '--feature-gates: expected NAME=true or NAME=false, separated by commas; given "A=1"',
  ],
  ['explore /nosuch.yaml --seed x', '--seed: expected a whole number from 0; given "x"'],
  ['explore /nosuch.yaml --junit /nowhere/x', '--junit: there is no such directory; given "/nowhere/x"'],
  ['simulate /nosuch.yaml --save /nowhere/x', '--save: there is no such directory; given "/nowhere/x"'],
  ['reproduce web --saw /nosuch --seed x', '--seed: expected a whole number from 0; given "x"'],
  [
    'serve --backend remote --remote-endpoint foo --control off',
    '--remote-endpoint: "foo" is not an endpoint',
  ],
  [
    'simulate liveness-crash-loop --record /nosuch/x',
    '--record: there is no such directory; given "/nosuch/x"',
  ],
  ['kubelet --record /nosuch/x', '--record: there is no such directory; given "/nosuch/x"'],
  ['serve --remote-endpoint /x.sock', '--remote-endpoint has no effect without --backend remote'],
  ['serve --backend memory --tape x.tape', '--tape has no effect without --backend tape'],
  ['serve --docker-host unix:///x', '--docker-host has no effect without --backend docker'],
  ['serve --keep env', '--keep has no effect without --record'],
  ['node --keep env', '--keep has no effect without --record'],
  ['kubelet --keep env', '--keep has no effect without --record'],
  ['simulate liveness-crash-loop --keep env', '--keep has no effect without --record or --output html'],
  ['simulate --list nosuch', '--list prints all scenarios; given "nosuch" too'],
  ['simulate --list --output html', 'option "--list" cannot be used with option "-o, --output <format>"'],
  [
    'simulate liveness-crash-loop --replicas 2',
    '--replicas: no manifests are given; a scenario sets its own number of pods',
  ],
  [
    'simulate liveness-crash-loop --until 1m',
    '--until: no manifests are given; a scenario sets its own duration',
  ],
  [
    'explore liveness-crash-loop --replicas 0 --budget 1 --out /nowhere/out',
    '--replicas: no manifests are given; a scenario sets its own number of pods',
  ],
  ['simulate liveness-crash-loop --seed abc', '--seed: expected a whole number from 0; given "abc"'],
  ['simulate liveness-crash-loop --seed -1', '--seed: expected a whole number from 0; given -1'],
  ['simulate liveness-crash-loop --seed=', '--seed: expected a whole number from 0; given ""'],
  [
    'simulate liveness-crash-loop --kubelet-version 1.30,1.36,1.30',
    '--kubelet-version: given "1.30,1.36,1.30", which has 1.30 twice',
  ],
  // A version as kubectl prints it is taken for its minor version.
  [
    'simulate liveness-crash-loop --kubelet-version v1.30.4,1.30',
    '--kubelet-version: given "v1.30.4,1.30", which has 1.30 twice',
  ],
  ['kubelet --hostname-override a_b', '--hostname-override: expected a DNS name: '],
  [
    'serve --streaming-advertise b:1',
    '--streaming-advertise: expected a host name or an address, without a port; given "b:1"',
  ],
  ['watch --count x', '--count: expected a whole number from 1; given "x"'],
])('mockri %s', async (line, text) => {
  expect(await errorOf(line)).toMatch(new RegExp(`^${text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')}`));
});

test.each([
  ['help', /^Usage: mockri \[options\]/],
  ['help serve', /^Usage: mockri serve/],
  ['help fault add', /^Usage: mockri fault add/],
  ['fault help list', /^Usage: mockri fault ls/],
  ['help node', /^(?!.*\(default: \))/s],
])('mockri %s', async (line, text) => {
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const args = line.split(' ');
  await (await createProgram(args[0])).parseAsync(args, { from: 'user' });
  const [output] = written.mock.calls[0] ?? [];
  written.mockRestore();
  expect(output).toMatch(text);
});

test.each(['serve', 'simulate', 'tape', 'conformance', 'diff', 'explore', 'watch', 'suite'])(
  'mockri %s and its subcommands accept --proto, as docs/next.md says',
  async (name) => {
    const [command] = (await createProgram(name)).commands;
    for (const each of [command, ...(command?.commands ?? [])].filter((each) => each?.name() !== 'help'))
      expect(each?.options.map(({ long }) => long)).toContain('--proto');
  },
);
