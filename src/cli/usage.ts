import { Command, type CommanderError } from 'commander';
import { didYouMean } from '../input/suggest.js';
import { InputError } from '../input/yaml.js';

/**
 * Makes a command and those below it throw what they don't understand, instead of ending the process, and tell of it
 * in our words: what was given, what is allowed, the nearest word.
 */
export function withOwnErrors(command: Command): Command {
  if (command.commands.length > 0) command.helpCommand(false).addCommand(helpCommand(command));
  for (const subcommand of command.commands) withOwnErrors(subcommand);
  command.exitOverride().showSuggestionAfterError().allowExcessArguments();
  // Text of commander's own errors is printed once, by whoever catches them.
  command.configureOutput({ outputError: () => {} });
  command.hook('preAction', (_, running) => {
    if (running === command) refuseExcess(command);
  });
  return command;
}

function refuseExcess(command: Command): void {
  const { registeredArguments, args } = command;
  if (registeredArguments.at(-1)?.variadic || args.length <= registeredArguments.length) return;
  const [first = ''] = args.slice(registeredArguments.length);
  if (command.commands.length > 0) throw unknownCommand(first, command);
  const most = registeredArguments.length;
  const allowed =
    most === 0 ? 'takes options only' : `takes ${most} argument${most === 1 ? '' : 's'} at most`;
  throw new InputError([`${pathOf(command)} ${allowed}; given "${first}" too`]);
}

/** `help`, which commander has too, but there it knows no subcommands and is silent about a wrong name. */
function helpCommand(parent: Command): Command {
  return new Command('help')
    .description('everything about one command')
    .argument('[command...]', 'its name, and that of its subcommand')
    .action((names: readonly string[]) => {
      let shown = parent;
      for (const name of names) {
        const next = shown.commands.find((each) => each.name() === name || each.aliases().includes(name));
        if (next === undefined) throw unknownCommand(name, shown);
        shown = next;
      }
      shown.outputHelp();
    });
}

/** An InputError for a word that is none of the commands below one: the nearest, or all that there are. */
function unknownCommand(word: string, parent: Command): InputError {
  const names = parent.commands.map((command) => command.name()).filter((name) => name !== 'help');
  const hint = didYouMean(word, names) || `; there are: ${names.join(', ')}`;
  const place = parent.parent ? `${pathOf(parent)}: ` : '';
  return new InputError([`${place}no command is called "${word}"${hint}`]);
}

/** `fault add` */
function pathOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${pathOf(parent)} ${command.name()}` : command.name();
}

/** What commander has to say about a command line, in one sentence; undefined where it has printed help instead. */
export function usageText({ code, message }: CommanderError): string | undefined {
  if (code === 'commander.help') return undefined;
  const [said = '', near] = message.replace(/^error: /, '').split(/\n\(Did you mean (.+)\?\)$/);
  const text = said.replaceAll("'", '"').replace(' argument missing', ' needs a value');
  const told = text
    .replace(
      /^option "(-\S+)[^"]*" argument "(.*?)" is invalid\. (?:Allowed choices are (.*)\.|(.*))$/s,
      invalidValue,
    )
    .replace(/^unknown command "(.*)"$/, 'no command is called "$1"');
  if (near !== undefined) return `${told}; did you mean "${near}"?`;
  return code === 'commander.unknownCommand' ? `${told}; "mockri help" lists them` : told;
}

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
