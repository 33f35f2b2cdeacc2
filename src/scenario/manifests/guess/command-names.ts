import type { Command, Word } from '../../../linux/shell/syntax/ast.js';
import { parseScript } from '../../../linux/shell/syntax/parser.js';

/** Commands that run the command that follows them. */
const RUNNERS = new Set(['exec', 'env', 'nice', 'nohup', 'setsid', 'time', 'command', 'timeout', 'xargs']);

/** A command's name that is known only when the script runs. */
const VARIABLE = '$…';

/** The names of the commands that a script runs, as far as it is read. Throws ShellSyntaxError. */
export function commandsOf(script: string): string[] {
  const parser = parseScript(script);
  const names: string[] = [];
  const functions = new Set<string>();
  for (let next = parser.next(); next !== undefined; next = parser.next()) collect(next, names, functions);
  return names.filter((name) => !functions.has(name));
}

function collect(command: Command, names: string[], functions: Set<string>): void {
  if (command.kind === 'function') functions.add(command.name);
  if (command.kind === 'simple') {
    const name = programOf(command.words.map(textOf));
    if (name !== undefined) names.push(name);
  }
  for (const inner of partsOf(command)) collect(inner, names, functions);
}

/** The commands that a command is made of. */
function partsOf(command: Command): readonly Command[] {
  switch (command.kind) {
    case 'simple': {
      const words = [...command.words, ...command.assignments.map(({ value }) => value)];
      return words.flat().flatMap((part) => (part.kind === 'substitution' ? [part.command] : []));
    }
    case 'pipeline':
      return command.stages;
    case 'and-or':
      return [command.left, command.right];
    case 'sequence':
      return command.items.map((item) => item.command);
    case 'if': {
      const { clauses, otherwise } = command;
      return [
        ...clauses.flatMap(({ condition, body }) => [condition, body]),
        ...(otherwise ? [otherwise] : []),
      ];
    }
    case 'loop':
      return [command.condition, command.body];
    case 'case':
      return command.items.map(({ body }) => body);
    default:
      return [command.body];
  }
}

/** The program that a command line runs in the end: `java` of `exec env A=1 java -jar app.jar`. */
export function programOf(words: readonly string[]): string | undefined {
  const [first, ...rest] = words;
  if (first === undefined || !RUNNERS.has(first)) return first;
  const next = rest.findIndex((word) => !/^-|=|^\d/.test(word));
  return next < 0 ? first : programOf(rest.slice(next));
}

const textOf = (word: Word): string =>
  word.every((part) => part.kind === 'literal')
    ? word.map((part) => (part.kind === 'literal' ? part.text : '')).join('')
    : VARIABLE;
