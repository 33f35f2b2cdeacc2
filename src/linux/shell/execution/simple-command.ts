import { builtins } from '../builtins/builtins.js';
import { expandText, expandWords } from '../expansion/expand.js';
import type { Assignment, Command, Redirection, SimpleCommand, Word } from '../syntax/ast.js';
import { splitAssignment } from '../syntax/tokens.js';
import type { Builtin } from './builtin.js';
import { CommandError, FunctionReturn, ShellError } from './control-flow.js';
import { runExternal } from './external.js';
import { redirect, redirected } from './redirections.js';
import { complain, isInteractive, type RunContext, type Shell, withPositional, write } from './shell.js';

/** Commands whose arguments may be assignments, which aren't split into fields. */
const DECLARATIONS: ReadonlySet<string> = new Set(['export', 'readonly', 'local']);

type Values = readonly (readonly [name: string, value: string])[];

/** Runs assignments, redirections and a function, builtin or program (POSIX 2.9.1). */
export async function runSimple(shell: Shell, command: SimpleCommand, context: RunContext): Promise<number> {
  shell.line = command.line;
  shell.substitutionStatus = 0;
  const args = await expandArguments(shell, command.words);
  const [name] = args;
  const body = shell.functions.get(name ?? '')?.body;
  const builtin = body ? undefined : builtins.get(name ?? '');
  const becomesProgram = context.last && name !== undefined && !body && !builtin && !shell.traps.hasActions;
  const keepsRedirections = becomesProgram || (builtin !== undefined && name === 'exec');
  return reported(shell, builtin, () =>
    withRedirections(shell, command.redirections, keepsRedirections, async () => {
      if (name === undefined) return assignAlone(shell, command.assignments);
      const values = await expandAssignments(shell, command.assignments);
      await trace(shell, values, args);
      if (body) return callFunction(shell, body, args, values, context);
      // A command's redirections also apply to its error messages.
      return reported(shell, builtin, () =>
        builtin
          ? callBuiltin(shell, name, builtin, args, values, context)
          : runExternal(shell, args, { last: context.last, values }),
      );
    }),
  );
}

/** An error of a special builtin ends a script; an error of another command is printed, and is its status. */
async function reported(
  shell: Shell,
  builtin: Builtin | undefined,
  body: () => Promise<number>,
): Promise<number> {
  try {
    return await body();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const { message, status, builtin: name } = error;
    if (builtin?.special && !isInteractive(shell)) throw new ShellError(message, status, name);
    await complain(shell, message, name);
    return status;
  }
}

/** `exec` keeps its redirections, and so does a program that takes over the shell's process. */
async function withRedirections(
  shell: Shell,
  redirections: readonly Redirection[],
  forGood: boolean,
  body: () => Promise<number>,
): Promise<number> {
  if (!forGood) return redirected(shell, redirections, body);
  for (const redirection of redirections) await redirect(shell, redirection);
  return body();
}

async function expandArguments(shell: Shell, words: readonly Word[]): Promise<string[]> {
  const [first, ...rest] = words;
  if (first === undefined) return [];
  const args = await expandWords(shell, [first]);
  if (!DECLARATIONS.has(args[0] ?? '')) return args.concat(await expandWords(shell, rest));
  for (const word of rest) {
    const assignment = splitAssignment(word);
    if (assignment) {
      const arg = `${assignment.name}=${await expandText(shell, assignment.value, 'tildes')}`;
      shell.memory.holdTexts([arg]);
      args.push(arg);
    } else for (const arg of await expandWords(shell, [word])) args.push(arg);
  }
  return args;
}

/** Assignments without a command: each sees the earlier ones. The status is that of a substitution in them. */
async function assignAlone(shell: Shell, assignments: readonly Assignment[]): Promise<number> {
  const values: Values[number][] = [];
  for (const assignment of assignments) {
    const expanded = await expandAssignments(shell, [assignment]);
    assignAll(shell, expanded);
    values.push(...expanded);
  }
  await trace(shell, values, []);
  return shell.substitutionStatus;
}

async function expandAssignments(shell: Shell, assignments: readonly Assignment[]): Promise<Values> {
  const values: [string, string][] = [];
  for (const { name, value, append } of assignments) {
    const text = await expandText(shell, value, 'tildes');
    const before = append ? (shell.variables.get(name) ?? '') : '';
    if (before !== '') shell.memory.holdTexts([before]);
    values.push([name, before + text]);
  }
  return values;
}

function assignAll(shell: Shell, values: Values): void {
  for (const [name, value] of values) shell.variables.set(name, value, shell.options.has('allexport'));
}

async function callFunction(
  shell: Shell,
  body: Command,
  args: readonly string[],
  values: Values,
  context: RunContext,
): Promise<number> {
  const { loops } = shell;
  shell.calls++;
  shell.loops = 0;
  shell.variables.enterScope();
  try {
    assignForScope(shell, values);
    return await withPositional(shell, args.slice(1), () =>
      shell.run(shell, body, { ...context, last: false }),
    );
  } catch (error) {
    if (error instanceof FunctionReturn) return error.status;
    throw error;
  } finally {
    shell.variables.leaveScope();
    shell.loops = loops;
    shell.calls--;
  }
}

async function callBuiltin(
  shell: Shell,
  name: string,
  builtin: Builtin,
  args: readonly string[],
  values: Values,
  context: RunContext,
): Promise<number> {
  const call = {
    name,
    context,
    builtins,
    run: (rest: readonly string[]) => runCommand(shell, rest, context),
  };
  if (builtin.special || values.length === 0) {
    assignAll(shell, values);
    return builtin.run(shell, args.slice(1), call);
  }
  shell.variables.enterScope();
  try {
    assignForScope(shell, values);
    return await builtin.run(shell, args.slice(1), call);
  } finally {
    shell.variables.leaveScope();
  }
}

async function runCommand(shell: Shell, args: readonly string[], context: RunContext): Promise<number> {
  const [name = ''] = args;
  const builtin = builtins.get(name);
  if (builtin === undefined) return runExternal(shell, args, { last: false, values: [] });
  return callBuiltin(shell, name, { ...builtin, special: false }, args, [], context);
}

function assignForScope(shell: Shell, values: Values): void {
  for (const [name, value] of values) {
    shell.variables.keepForScope(name);
    shell.variables.set(name, value, true);
  }
}

/** `set -x`: prints the command before it runs. */
async function trace(
  shell: Shell,
  values: readonly (readonly [string, string])[],
  args: readonly string[],
): Promise<void> {
  if (!shell.options.has('xtrace')) return;
  const words = [...values.map(([name, value]) => `${name}=${quoted(value)}`), ...args.map(quoted)];
  await write(shell, 2, `${shell.variables.get('PS4') ?? '+ '}${words.join(' ')}\n`);
}

/** Quotes a word so that a shell reads it unchanged. */
const quoted = (text: string): string =>
  /^[A-Za-z0-9_@%+=:,./!^{}[\]~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
