import type { Command, Option } from 'commander';
import { table } from '../support/markdown-table.js';

/** One option, as a row of a table. */
interface Row {
  readonly flag: string;
  /** The subcommands that have it; empty if the command itself has it. */
  readonly subcommands: readonly string[];
  readonly meaning: string;
  readonly fallback: string;
}

/** The options of a command and its subcommands as a table in Markdown, from the texts of `--help`. */
export function optionTable(command: Command): string {
  const rows = rowsOf(command);
  const names = command.commands.map((each) => each.name()).filter((name) => name !== 'help');
  const own = command.options.length > 0;
  const meaningOf = ({ subcommands, meaning }: Row) =>
    subcommands.length === 0 || (!own && subcommands.length === names.length)
      ? meaning
      : `${subcommands.map((name) => `\`${name}\``).join(', ')}: ${meaning}`;
  return table([
    ['option', 'meaning', 'default'],
    ...rows.map((row) => [`\`${row.flag}\``, meaningOf(row), row.fallback]),
  ]);
}

/** Joins an option that several subcommands have with the same text to one row. */
function rowsOf(command: Command): Row[] {
  const own = command.options.map((option) => rowOf(option, []));
  const below = command.commands.flatMap((each) =>
    each.options.map((option) => rowOf(option, [each.name()])),
  );
  const rows: Row[] = [];
  for (const row of [...own, ...below]) {
    const at = rows.findIndex(
      (each) =>
        each.flag === row.flag &&
        each.meaning === row.meaning &&
        each.fallback === row.fallback &&
        each.subcommands.length > 0,
    );
    const same = rows[at];
    if (same) rows[at] = { ...same, subcommands: [...same.subcommands, ...row.subcommands] };
    else rows.push(row);
  }
  return rows;
}

/** The end of a `--help` text with its default: `…; default: X` or `… (default: X)`. */
const DEFAULT = /^(.*?)(?:; default: (.+)| \(default: (.+)\))$/s;

function rowOf(option: Option, subcommands: readonly string[]): Row {
  const { long, short, description, argChoices } = option;
  const defaultValue = option.defaultValueDescription ?? option.defaultValue;
  const [, text = description, first, second] = DEFAULT.exec(description) ?? [];
  const fallback = first ?? second ?? (defaultValue === undefined ? '' : String(defaultValue));
  const choices = argChoices && !argChoices.every((choice) => text.includes(choice)) ? argChoices : [];
  return {
    flag: long ?? short ?? '',
    subcommands,
    meaning: `${text}${choices.length > 0 ? `: ${choices.join(', ')}` : ''}`
      .replaceAll('|', '\\|')
      .replace(/\bmockri ([a-z]+)\b/g, '`npx mockri $1`'),
    fallback: fallback === 'false' ? '' : fallback,
  };
}
