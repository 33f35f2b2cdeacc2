import { Command, type CommanderError } from 'commander';
import { counted } from '../base/input/counted.js';
import { didYouMean } from '../base/input/suggest.js';
import { InputError } from '../base/input/yaml.js';

/**
 * Makes a command and its subcommands throw InputError instead of ending the process. The messages name the given
 * value, the allowed values and the closest match.
 */
export function withOwnErrors(command: Command): Command {
  if (command.commands.length > 0) command.helpCommand(false).addCommand(helpCommand(command));
  for (const subcommand of command.commands) withOwnErrors(subcommand);
  command.exitOverride().showSuggestionAfterError().allowExcessArguments();
  // The caller prints the text of commander's errors, so that it appears once.
  command.configureOutput({ outputError: () => {} });
  const checkRequired = requiredOptions(command);
  command.hook('preAction', (_, running) => {
    if (running !== command) return;
    refuseExcess(command);
    checkRequired();
  });
  return command;
}

/** Commander checks required options before unknown ones: a mistyped `--sav` would be reported as a missing `--saw`. */
function requiredOptions(command: Command): () => void {
  const required = command.options.filter(({ mandatory }) => mandatory);
  for (const option of required) option.makeOptionMandatory(false);
  return () => {
    const missing = required.find((option) => command.getOptionValue(option.attributeName()) === undefined);
    if (missing !== undefined) command.error(`required option "${missing.flags}" not specified`);
  };
}

function refuseExcess(command: Command): void {
  const { registeredArguments, args } = command;
  if (registeredArguments.at(-1)?.variadic || args.length <= registeredArguments.length) return;
  const [first = ''] = args.slice(registeredArguments.length);
  if (command.commands.length > 0) throw unknownCommand(first, command);
  const most = registeredArguments.length;
  const allowed = most === 0 ? 'takes no arguments' : `takes at most ${counted(most, 'argument')}`;
  throw new InputError([`${pathOf(command)} ${allowed}; given "${first}" too`]);
}

/** Replaces commander's `help`, which ignores subcommands and unknown names. */
function helpCommand(parent: Command): Command {
  return new Command('help')
    .description('help for one command')
    .argument('[command...]', 'name of the command, and of its subcommand')
    .action((names: readonly string[]) => {
      let shown = parent;
      for (const name of names) {
        const next = shown.commands.find((each) => each.name() === name || each.aliases().includes(name));
        if (next === undefined && shown.commands.length === 0)
          throw new InputError([`${pathOf(shown)} has no subcommands; given "${name}"`]);
        if (next === undefined) throw unknownCommand(name, shown);
        shown = next;
      }
      shown.outputHelp();
    });
}

function unknownCommand(word: string, parent: Command): InputError {
  const names = parent.commands.map((command) => command.name()).filter((name) => name !== 'help');
  const hint = didYouMean(word, names) || `; available commands: ${names.join(', ')}`;
  const place = parent.parent ? `${pathOf(parent)}: ` : '';
  return new InputError([`${place}unknown command "${word}"${hint}`]);
}

function pathOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${pathOf(parent)} ${command.name()}` : command.name();
}

/** One sentence for an error of commander; undefined if commander printed help instead. */
export function usageText({ code, message }: CommanderError): string | undefined {
  if (code === 'commander.help') return undefined;
  const [cause = '', near] = message.replace(/^error: /, '').split(/\n\(Did you mean (?:one of )?(.+)\?\)$/);
  const text = cause.replaceAll("'", '"').replace(' argument missing', ' needs a value');
  const sentence = text
    .replace(
      /^option "(?:-\w, )?(-\S+)[^"]*" argument "(.*?)" is invalid\. (?:Allowed choices are (.*)\.|(.*))$/s,
      invalidValue,
    )
    .replace(
      /^command-argument value "(.*?)" is invalid for argument "(.*?)"\. (?:Allowed choices are (.*)\.|(.*))$/s,
      (_, given, argument, choices, rest) => invalidValue('', `<${argument}>`, given, choices, rest),
    );
  if (near !== undefined) return `${sentence}; did you mean "${shortest(near.split(', '))}"?`;
  return code === 'commander.unknownCommand' ? `${sentence}; "mockri help" lists all commands` : sentence;
}

const shortest = (names: readonly string[]): string =>
  names.reduce((least, name) => (name.length < least.length ? name : least));

function invalidValue(
  _: string,
  option: string,
  given: string,
  choices: string | undefined,
  text: string,
): string {
  const allowed = choices?.split(', ');
  const near = allowed ? didYouMean(given, allowed) : '';
  return `${option}: ${allowed ? `expected ${allowed.join(', ')}` : text}; given ${JSON.stringify(given)}${near}`;
}
