import { Argument, Command } from 'commander';
import { z } from 'zod';
import { DURATION_FORM, parseDuration } from '../../base/input/duration.js';
import { readTextInput } from '../../base/input/text-file.js';
import { UserError } from '../../base/input/user-error.js';
import { wrapText } from '../../base/input/wrap.js';
import { InputError } from '../../base/input/yaml.js';
import { inColumns } from '../../base/markup/columns.js';
import { oneLine } from '../../base/markup/terminal.js';
import { describeRule } from '../../runtime/faults/language/describe-rule.js';
import { parseFaultFile } from '../../runtime/faults/language/file.js';
import { type FaultInput, rule } from '../../runtime/faults/language/rule-schema.js';
import { named, parseShorthand } from '../../runtime/faults/language/shorthand.js';
import { readRules as checkRules } from '../../runtime/faults/language/written-rule.js';
import { addControlOption, type ControlClient, connectControl, Refused } from '../control-client.js';
import { addOptions, defineOptions, type OptionsOf } from '../options/define-options.js';
import { readBy } from '../options/option.js';

const ADD_EXAMPLES = `  $ mockri fault add 'StartContainer=1*error(UNAVAILABLE:oops)'
  $ mockri fault add 'RunPodSandbox=1*off->2*error(DEADLINE_EXCEEDED)->delay(5s)' --name slow-pods
  $ mockri fault add 'StopContainer=ignoreStop' --pod 'default/web-*' --container app
  $ mockri fault add 'GetContainerEvents:message=10%drop'
  $ mockri fault add 'connection=latency(50ms)'
  $ mockri fault add 'Exec:session=1*reset afterBytes=4096' --pod web
  $ mockri fault add 'PortForward:session=throttle(1000) port=8080'
  $ mockri fault add 'connection=stall server=streaming'
  $ mockri fault add 'nri:CreateContainer=1*hang' --plugin 10-logger
  $ mockri fault add --file faults.yaml`;

const SHORTHAND = `
The shorthand is TARGET=[N*|P%]ACTION[(ARGUMENT)][->…]: terms apply one after the other, N times each.
TARGET is an RPC, a glob, a group (@all, @list, @mutating, @stream, @image), optionally with the suffix :message,
:reply or, for Exec, Attach and PortForward, :session; or connection or time, or nri:NAME, a request to node resource
plugins. Rules on sessions may end with port=N, stream=NAME and afterBytes=N, rules on connections with server=NAME.`;

const EXAMPLES = `
Examples:
${ADD_EXAMPLES}
  $ mockri fault ls
  $ mockri fault rm slow-pods-1
  $ mockri fault reset
${SHORTHAND}

Exit code: 0 success, 1 the server refused or did not respond, 2 the rule or the command line is invalid.
`;

const durationText = readBy((text) => {
  const duration = parseDuration(text);
  return duration === undefined || duration < 0 ? undefined : text;
}, `expected ${DURATION_FORM}`);

/** Node-level faults; the server checks them too. */
const KINDS = ['NodeDown', 'KubeletRestart', 'RuntimeRestart', 'SlowDisk'];

const addedOptions = defineOptions({
  '--file <file>': { about: 'YAML or JSON file with rules; - reads stdin' },
  '--name <name>': { about: 'name of the rule; with several terms, each gets a number' },
  '--pod <pattern>': { about: 'only for these pods: a name, glob or /expression/, or namespace/name' },
  '--container <pattern>': { about: 'only for these containers' },
  '--plugin <pattern>': {
    about: 'only for these node resource plugins, such as 10-logger, with TARGET nri:…',
  },
  '--node <pattern>': { about: 'only on these nodes of mockri node' },
});
const nodeOptions = defineOptions({
  '--node <pattern>': { about: 'nodes of mockri node to affect', required: true },
  '--for <duration>': { about: 'duration, such as 5m', schema: durationText },
});
const options = defineOptions({ '--json': { about: 'print JSON' } });
type Flags = OptionsOf<typeof options> & { readonly control: string };
type AddFlags = Flags & OptionsOf<typeof addedOptions>;
type NodeFlags = Flags & OptionsOf<typeof nodeOptions>;

const isAbsent = (error: unknown): boolean => error instanceof Refused && error.status === 404;

/** Whether the server is `mockri node`: only that lists nodes. */
const hasNodes = (control: ControlClient): Promise<boolean> =>
  control.send('GET', '/v1/nodes').then(
    () => true,
    (error: unknown) => !isAbsent(error),
  );

const ruleSchema = z.looseObject({
  name: z.string(),
  source: z.string(),
  spec: z.custom<FaultInput>((spec) => rule.safeParse(spec).success),
  seen: z.number(),
  matched: z.number(),
  applied: z.number(),
  shadowed: z.number(),
  left: z.number().optional(),
});
type ShownRule = z.output<typeof ruleSchema>;

/** Replies of a control API; `notes` are remarks on rules just added. */
const rulesSchema = z.looseObject({
  faults: z.array(ruleSchema),
  notes: z.array(z.string()).optional(),
});
const nodesSchema = z.looseObject({ nodes: z.array(z.string()) });

/** Throws UserError for a reply that no control API sends. */
function checkAnswer<S extends z.ZodType>(answer: object, schema: S, control: string): z.output<S> {
  const { success, data, error } = schema.safeParse(answer);
  if (success) return data;
  const where = error.issues
    .map(({ path, message }) => `${path.join('.') || 'answer'}: ${message}`)
    .slice(0, 3);
  throw new UserError(
    `${control} sent an unexpected reply (${where.join('; ')}): is it a control API of this version of mockri?`,
  );
}

type Print = (text: string) => void;

/** `mockri fault` changes the fault rules of a running server. */
export function faultCommand(print: Print = (line) => process.stdout.write(`${line}\n`)): Command {
  const command = new Command('fault')
    .description('add, list and remove fault rules of a running server')
    .addHelpText('after', EXAMPLES);
  const subcommand = (usage: string, description: string, more = {}) =>
    addOptions(addControlOption(command.command(usage).description(description)), { ...options, ...more });

  subcommand('add [shorthand]', 'add rules', addedOptions)
    .addHelpText('after', `\nExamples:\n${ADD_EXAMPLES}\n${SHORTHAND}\n`)
    .action(async (shorthand: string | undefined, flags: AddFlags) => {
      const rules = await readRules(shorthand, flags);
      const body = { version: 1, ...rules };
      const answer = await connectControl(flags.control).send('POST', '/v1/faults', body);
      const added = checkAnswer(answer, rulesSchema, flags.control);
      const { faults, notes = [] } = added;
      for (const note of notes) process.stderr.write(`mockri: ${note}\n`);
      print(flags.json ? JSON.stringify(added) : faults.map(({ name }) => name).join('\n'));
    });
  subcommand('node', `inject a node-level fault: ${KINDS.join(', ')}`, nodeOptions)
    .addArgument(new Argument('<kind>').choices(KINDS))
    .addHelpText('after', "\nExample:\n  $ mockri fault node NodeDown --node 'mock-1*' --for 5m\n")
    .action(async (kind: string, flags: NodeFlags) => {
      const body = { kind, node: flags.node, ...(flags.for !== undefined && { for: flags.for }) };
      const control = connectControl(flags.control);
      const answer = await control.send('POST', '/v1/node-faults', body).catch(async (error: unknown) => {
        if (!isAbsent(error) || (await hasNodes(control))) throw error;
        throw new UserError('this server is a single runtime; fault node needs mockri node');
      });
      const happened = checkAnswer(answer, nodesSchema, flags.control);
      print(flags.json ? JSON.stringify(happened) : happened.nodes.join('\n'));
    });
  subcommand('ls', 'list the rules and their effects')
    .alias('list')
    .addHelpText('after', '\nExample:\n  $ mockri fault ls --json\n')
    .action(async (flags: Flags) => {
      const answer = await connectControl(flags.control).send('GET', '/v1/faults');
      const { faults } = checkAnswer(answer, rulesSchema, flags.control);
      print(flags.json ? JSON.stringify({ faults }) : rulesText(faults));
    });
  subcommand('rm <name...>', 'remove rules; calls that they block continue')
    .alias('remove')
    .addHelpText('after', '\nExample:\n  $ mockri fault rm slow-pods-1 slow-pods-2\n')
    .action(async (names: string[], flags: Flags) => {
      const control = connectControl(flags.control);
      if (names.includes(''))
        throw new InputError(['<name>: expected the name of a rule; given ""; mockri fault ls lists them']);
      // All or none: reports an unknown name before removing any rule.
      for (const name of names) await control.send('GET', `/v1/faults/${encodeURIComponent(name)}`);
      for (const name of new Set(names))
        await control.send('DELETE', `/v1/faults/${encodeURIComponent(name)}`);
      if (flags.json) print(JSON.stringify({ removed: names }));
    });
  subcommand('reset', 'remove all rules: the runtime is healthy again')
    .addHelpText('after', '\nExample:\n  $ mockri fault reset\n')
    .action(async (flags: Flags) => {
      const rules = await connectControl(flags.control).send('POST', '/v1/reset');
      if (flags.json) print(JSON.stringify(rules));
    });
  return command;
}

/** Rules from the command line, validated here, so that errors refer to the user's own lines. */
async function readRules(
  shorthand: string | undefined,
  { file, name, pod, container, plugin, node }: AddFlags,
): Promise<{ readonly faults: readonly FaultInput[]; readonly seed?: number }> {
  if ((shorthand === undefined) === (file === undefined))
    throw new InputError(['specify either a rule in shorthand or --file; --help shows examples']);
  if (file !== undefined) {
    if ([name, pod, container, plugin, node].some((given) => given !== undefined))
      throw new InputError([
        '--name, --pod, --container, --plugin and --node need a rule in shorthand; a file sets them itself',
      ]);
    const { faults, seed } = parseFaultFile(
      await readTextInput(file, '--file'),
      file === '-' ? 'stdin' : file,
    );
    return { faults: faults.map(({ written }) => written), ...(seed !== undefined && { seed }) };
  }
  const faults = named(parseShorthand(shorthand ?? ''), name).map((rule) => ({
    ...rule,
    match: {
      ...rule.match,
      ...(pod !== undefined && { pod: podMatch(pod) }),
      ...(container !== undefined && { container: { name: container } }),
      ...(plugin !== undefined && { plugin }),
      ...(node !== undefined && { node }),
    },
  }));
  // Checked here, so that errors name the user's input.
  checkRules(faults, JSON.stringify(shorthand));
  return { faults };
}

const COLUMNS = ['NAME', 'SEEN', 'MATCHED', 'APPLIED', 'SHADOWED', 'LEFT'];
const WIDTH = 80;

function podMatch(pattern: string): { readonly namespace?: string; readonly name: string } {
  const [, namespace, name] = /^([^/]+)\/(.+)$/.exec(pattern) ?? [];
  return namespace !== undefined && name !== undefined ? { namespace, name } : { name: pattern };
}

/** Each rule's text is below its counts, because rules and their pods have long names. */
function rulesText(rules: readonly ShownRule[]): string {
  if (rules.length === 0) return 'no rules: the runtime is healthy';
  const rows = rules.map(({ name, seen, matched, applied, shadowed, left }) => [
    oneLine(name),
    ...[seen, matched, applied, shadowed, left ?? '-'].map(String),
  ]);
  const [head, ...lines] = inColumns([COLUMNS, ...rows], '   ');
  const texts = rules.map(({ spec, source }) => `  ${oneLine(describeRule(spec))} (${oneLine(source)})`);
  return [
    head,
    ...lines.flatMap((line, index) => [line, ...wrapText(texts[index] ?? '', '    ', WIDTH)]),
  ].join('\n');
}
