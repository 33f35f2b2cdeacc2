import type { Builtin, BuiltinCall } from '../execution/builtin.js';
import { CommandError, FunctionReturn, LoopJump, ShellError, ShellExit } from '../execution/control-flow.js';
import { findProgram, replaceShell } from '../execution/external.js';
import { errorText } from '../execution/files.js';
import { runText } from '../execution/run-traps.js';
import { complain, type Shell, withPositional } from '../execution/shell.js';
import { calculate } from '../expansion/expand.js';
import { absolute } from '../expansion/glob.js';
import { ShellSyntaxError } from '../syntax/syntax-error.js';
import { toText } from '../text.js';

export const controlBuiltins: readonly (readonly [string, Builtin])[] = [
  [':', { special: true, run: () => 0 }],
  ['true', { special: false, run: () => 0 }],
  ['false', { special: false, run: () => 1 }],
  ['break', { special: true, run: jump }],
  ['continue', { special: true, run: jump }],
  ['return', { special: true, run: leaveFunction }],
  ['exit', { special: true, run: exitShell }],
  ['eval', { special: true, run: evaluateText }],
  ['.', { special: true, run: source }],
  ['source', { special: true, run: source }],
  ['let', { special: false, run: calculateAll }],
  ['exec', { special: true, run: execute }],
];

export function numberOf(text: string, name: string): number {
  if (!/^\d+$/.test(text)) throw new ShellError(`Illegal number: ${text}`, 2, name);
  return Number(text);
}

function jump(shell: Shell, [levels = '1']: readonly string[], { name }: BuiltinCall): number {
  const count = numberOf(levels, name);
  if (count === 0) throw new ShellError(`Illegal number: ${levels}`, 2, name);
  if (shell.loops > 0)
    throw new LoopJump(name === 'break' ? 'break' : 'continue', Math.min(count, shell.loops));
  return 0;
}

function leaveFunction(shell: Shell, [status]: readonly string[], { name }: BuiltinCall): never {
  throw new FunctionReturn(status === undefined ? shell.status : numberOf(status, name) & 0xff);
}

function exitShell(shell: Shell, [status]: readonly string[], { name }: BuiltinCall): never {
  const present = shell.trapStatus ?? shell.status;
  throw new ShellExit(status === undefined ? present : numberOf(status, name) & 0xff);
}

async function evaluateText(
  shell: Shell,
  args: readonly string[],
  { context }: BuiltinCall,
): Promise<number> {
  const text = args.join(' ');
  shell.memory.holdTexts([text]);
  try {
    return await runText(shell, text, { ...context, last: false });
  } catch (error) {
    if (error instanceof ShellSyntaxError) throw new ShellError(error.message, 2, 'eval');
    throw error;
  }
}

/** `let expression…`: 1 if the last one is 0. */
function calculateAll(shell: Shell, expressions: readonly string[]): number {
  return expressions.map((expression) => calculate(shell, expression)).at(-1) ? 0 : 1;
}

/** Runs a file in this shell; looks up a name without a slash in PATH, then here. */
async function source(shell: Shell, [path, ...args]: readonly string[], call: BuiltinCall): Promise<number> {
  if (path === undefined) return 0;
  const text = toText(await readScript(shell, path));
  const { script, line } = shell;
  const run = () => runText(shell, text, { ...call.context, last: false });
  shell.memory.holdTexts([text]);
  shell.script = path;
  try {
    return await (args.length > 0 ? withPositional(shell, args, run) : run());
  } catch (error) {
    if (error instanceof FunctionReturn) return error.status;
    throw error;
  } finally {
    shell.script = script;
    shell.line = line;
  }
}

async function readScript(shell: Shell, path: string): Promise<Buffer> {
  const { fs } = shell.process;
  const folders = path.includes('/') ? [] : (shell.variables.get('PATH') ?? '').split(':');
  for (const folder of folders) {
    const found = await fs.readFile(absolute(shell.cwd, `${folder}/${path}`)).catch(() => undefined);
    if (found) return found;
  }
  return fs.readFile(absolute(shell.cwd, path)).catch((error: unknown) => {
    const text = errorText(error);
    const isUnknown = !path.includes('/') && text === 'No such file or directory';
    throw new ShellError(isUnknown ? `${path}: not found` : `can't open '${path}': ${text}`, 2, '.');
  });
}

async function execute(shell: Shell, args: readonly string[]): Promise<number> {
  const [name] = args;
  if (name === undefined) return 0;
  const env = shell.variables.exported();
  try {
    return await replaceShell(shell, args, await findProgram(shell, name, env), env);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    await complain(shell, error.message, 'exec');
    throw new ShellExit(error.status);
  }
}
