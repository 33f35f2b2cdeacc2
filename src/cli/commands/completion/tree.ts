import type { Command, Option } from 'commander';
import { library } from '../../../lab/scenario/file/scenario-files.js';
import { choicesOfSetting } from '../../options/settings.js';

export interface CompletionWord {
  readonly word: string;
  readonly about: string;
}

export interface CompletionOption extends CompletionWord {
  /** Undefined for an option without a value; empty for any value, including files. */
  readonly values: readonly string[] | undefined;
}

export interface CompletionNode {
  /** For example `fault add`; empty for the program. */
  readonly path: string;
  readonly commands: readonly CompletionWord[];
  readonly options: readonly CompletionOption[];
  /** Possible words of an argument; files are always possible. */
  readonly words: readonly string[];
}

export const pathsOf = ({ path, commands }: CompletionNode): string[] =>
  commands.map(({ word }) => `${path} ${word}`);

export function completionTree(program: Command): CompletionNode[] {
  const nodesOf = (command: Command, path: string): CompletionNode[] => [
    {
      path,
      commands: command.commands.map((each) => ({ word: each.name(), about: firstLine(each.description()) })),
      options: [...command.options.map(optionOf), { word: '--help', about: 'show help', values: undefined }],
      words: wordsOf(command),
    },
    ...command.commands.flatMap((each) => nodesOf(each, `${path} ${each.name()}`.trim())),
  ];
  return nodesOf(program, '');
}

const optionOf = (option: Option): CompletionOption => ({
  word: option.long ?? option.short ?? '',
  about: firstLine(option.description),
  values: option.isBoolean() ? undefined : (option.argChoices ?? choicesOfSetting(option)),
});

function wordsOf(command: Command): readonly string[] {
  const { registeredArguments } = command;
  if (command.name() === 'help') return command.parent?.commands.map((each) => each.name()) ?? [];
  return registeredArguments.flatMap((argument) =>
    argument.name() === 'scenarios' ? [...library().keys()] : (argument.argChoices ?? []),
  );
}

const firstLine = (text: string): string => text.split('\n')[0] ?? '';
