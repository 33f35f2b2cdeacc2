import { basename } from 'node:path';
import type { Command, Option } from 'commander';
import { libraryFiles } from '../../../lab/scenario/file/scenario-files.js';
import { choicesOfSetting } from '../../options/settings.js';

/** A word that can be completed. */
export interface CompletionWord {
  readonly word: string;
  readonly about: string;
}

/** An option, and what can follow it. */
export interface CompletionOption extends CompletionWord {
  /** Undefined for an option without a value; an empty list for any value, which can be a file. */
  readonly values: readonly string[] | undefined;
}

/** A command or subcommand, and what can follow it. */
export interface CompletionNode {
  /** Such as `fault add`; empty for the program. */
  readonly path: string;
  readonly commands: readonly CompletionWord[];
  readonly options: readonly CompletionOption[];
  /** Words that an argument can be; files are always possible. */
  readonly words: readonly string[];
}

/** The program and all its commands, the program first. */
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
    argument.name() === 'scenarios'
      ? libraryFiles().map((file) => basename(file).replace(/\.ya?ml$/, ''))
      : (argument.argChoices ?? []),
  );
}

const firstLine = (text: string): string => text.split('\n')[0] ?? '';

/** A text in single quotes of a POSIX shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
