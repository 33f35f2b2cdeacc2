import { emptySource } from '../../process/pipe.js';
import { expandPattern, expandText, expandWords } from '../expansion/expand.js';
import { matchesPattern } from '../expansion/pattern.js';
import type {
  AndOrCommand,
  CaseCommand,
  Command,
  ForCommand,
  FunctionCommand,
  GroupCommand,
  IfCommand,
  LoopCommand,
  PipelineCommand,
  Redirection,
  SequenceCommand,
  SequenceItem,
} from '../syntax/ast.js';
import { CommandError, LoopJump, ShellExit } from './control-flow.js';
import { runForegroundJob } from './foreground.js';
import { OpenFile } from './open-file.js';
import { startPipeline } from './processes.js';
import { redirect, redirected } from './redirections.js';
import { runPendingTraps } from './run-traps.js';
import { complain, isInteractive, type RunContext, type Shell } from './shell.js';
import { runSimple } from './simple-command.js';

/** Commands per millisecond. After this many, other tasks run, and a loop without a wait advances the clock. */
const STEPS_PER_MILLISECOND = 250;

/** Runs a command and sets `$?`. Throws the jumps of control-flow.ts, and the errors that end a script. */
export async function run(shell: Shell, command: Command, context: RunContext): Promise<number> {
  await step(shell);
  if (shell.options.has('noexec') && !isInteractive(shell)) return 0;
  const outer = shell.memory.enter();
  try {
    shell.status = await dispatch(shell, command, context);
  } finally {
    shell.memory.leave(outer);
  }
  if (shell.status !== 0 && !context.tested && shell.options.has('errexit') && canFail(command)) {
    throw new ShellExit(shell.status);
  }
  await runPendingTraps(shell);
  return shell.status;
}

async function step(shell: Shell): Promise<void> {
  if (++shell.steps < STEPS_PER_MILLISECOND) return shell.process.work(0);
  const milliseconds = Math.floor(shell.steps / STEPS_PER_MILLISECOND);
  shell.steps = 0;
  await shell.process.compute(milliseconds);
}

/** Commands whose failure ends a shell with `set -e`; others fail by the commands in them. */
const canFail = (command: Command): boolean =>
  command.kind === 'simple' ||
  command.kind === 'subshell' ||
  (command.kind === 'pipeline' && !command.negated);

function dispatch(shell: Shell, command: Command, context: RunContext): Promise<number> {
  switch (command.kind) {
    case 'simple':
      return runSimple(shell, command, context);
    case 'pipeline':
      return runPipeline(shell, command, context);
    case 'and-or':
      return runAndOr(shell, command, context);
    case 'sequence':
      return runSequence(shell, command, context);
    case 'function':
      defineFunction(shell, command);
      return Promise.resolve(0);
    case 'subshell':
      return compound(shell, command, context, () => runSubshell(shell, command, context));
    case 'group':
      return compound(shell, command, context, () => run(shell, command.body, inside(context, command)));
    case 'if':
      return compound(shell, command, context, () => runIf(shell, command, inside(context, command)));
    case 'loop':
      return compound(shell, command, context, () => looped(shell, () => runLoop(shell, command, context)));
    case 'for':
      return compound(shell, command, context, () => looped(shell, () => runFor(shell, command, context)));
    case 'case':
      return compound(shell, command, context, () => runCase(shell, command, inside(context, command)));
  }
}

/** The shell stores and pays for its syntax tree until it is unset or redefined. */
function defineFunction(shell: Shell, definition: FunctionCommand): void {
  shell.memory.keep(definition.cost - (shell.functions.get(definition.name)?.cost ?? 0));
  shell.functions.set(definition.name, definition);
}

/** A compound command with its redirections; it doesn't run if one fails. */
async function compound(
  shell: Shell,
  { redirections }: { readonly redirections: readonly Redirection[] },
  { forked, last }: RunContext,
  body: () => Promise<number>,
): Promise<number> {
  let started = false;
  try {
    if (forked && last) {
      // There is nothing to restore (ash evaltree, NBACKGND).
      for (const redirection of redirections) await redirect(shell, redirection);
      started = true;
      return await body();
    }
    return await redirected(shell, redirections, () => {
      started = true;
      return body();
    });
  } catch (error) {
    if (started || !(error instanceof CommandError)) throw error;
    await complain(shell, error.message);
    return error.status;
  }
}

/** The last command of a compound one is last only if no descriptors must be restored after it. */
const inside = (
  context: RunContext,
  { redirections }: { redirections: readonly Redirection[] },
): RunContext => (redirections.length === 0 ? context : { ...context, last: false });

/** Runs in a new process, unless this one does nothing else. */
function runSubshell(shell: Shell, { body }: GroupCommand, { last }: RunContext): Promise<number> {
  if (last && !shell.traps.hasActions) return run(shell, body, { tested: false, last: true });
  return runForegroundJob(shell, [body]);
}

async function runPipeline(
  shell: Shell,
  { stages, negated }: PipelineCommand,
  context: RunContext,
): Promise<number> {
  const [first] = stages;
  const status =
    stages.length === 1 && first
      ? await run(shell, first, { tested: context.tested || negated, last: false })
      : await runForegroundJob(shell, stages);
  if (!negated) return status;
  return status === 0 ? 1 : 0;
}

/** A chain of thousands is an equally deep tree: this iterates from its first command instead of recursing. */
async function runAndOr(shell: Shell, command: AndOrCommand, context: RunContext): Promise<number> {
  const links: AndOrCommand[] = [];
  let first: Command = command;
  for (; first.kind === 'and-or'; first = first.left) links.push(first);
  let status = await run(shell, first, { tested: true, last: false });
  for (let link = links.pop(); link !== undefined; link = links.pop()) {
    await step(shell);
    const isLast = links.length === 0;
    if ((status === 0) !== (link.operator === '&&')) continue;
    status = await run(shell, link.right, isLast ? context : { tested: true, last: false });
  }
  return status;
}

async function runSequence(shell: Shell, { items }: SequenceCommand, context: RunContext): Promise<number> {
  let status = 0;
  for (const [index, item] of items.entries()) {
    const last = context.last && index === items.length - 1;
    status = item.background
      ? startBackground(shell, item)
      : await run(shell, item.command, { ...context, last });
  }
  return status;
}

/** Starts a background job. Without job control it has no input, and Ctrl-C doesn't end it (POSIX 2.11). */
function startBackground(shell: Shell, { command, text }: SequenceItem): number {
  const stages = command.kind === 'pipeline' && !command.negated ? command.stages : [command];
  const isControlled = isInteractive(shell);
  const prepare = (child: Shell) => {
    if (isControlled) return;
    child.traps.set('INT', '');
    child.traps.set('QUIT', '');
    child.files.set(0, new OpenFile({ source: emptySource }));
  };
  const processes = startPipeline(shell, stages, { group: isControlled ? 'new' : undefined, prepare });
  const job = shell.jobs.add(processes, text, isControlled ? processes[0]?.group : undefined);
  shell.lastBackground = job.pid;
  return 0;
}

async function runIf(shell: Shell, { clauses, otherwise }: IfCommand, context: RunContext): Promise<number> {
  for (const { condition, body } of clauses) {
    if ((await run(shell, condition, { tested: true, last: false })) === 0) return run(shell, body, context);
  }
  return otherwise ? run(shell, otherwise, context) : 0;
}

/** Counts nested loops for `break`. */
async function looped(shell: Shell, body: () => Promise<number>): Promise<number> {
  shell.loops++;
  try {
    return await body();
  } finally {
    shell.loops--;
  }
}

async function runLoop(
  shell: Shell,
  { until, condition, body }: LoopCommand,
  { tested }: RunContext,
): Promise<number> {
  let status = 0;
  for (;;) {
    const turn = await oneTurn(async () => {
      const goesOn = (await run(shell, condition, { tested: true, last: false })) === 0;
      if (goesOn === until) return 'end';
      status = await run(shell, body, { tested, last: false });
      return 'next';
    });
    if (turn === 'end') return status;
    if (turn === 'break' || turn === 'continue') status = 0;
    if (turn === 'break') return status;
  }
}

async function runFor(
  shell: Shell,
  { name, words, body }: ForCommand,
  { tested }: RunContext,
): Promise<number> {
  const values = words ? await expandWords(shell, words) : shell.positional;
  let status = 0;
  for (const value of values) {
    shell.variables.set(name, value);
    const turn = await oneTurn(async () => {
      status = await run(shell, body, { tested, last: false });
      return 'next';
    });
    if (turn !== 'next') status = 0;
    if (turn === 'break') break;
  }
  return status;
}

type Turn = 'next' | 'end' | 'break' | 'continue';

/** Runs one iteration of a loop; passes on `break` and `continue` for outer loops. */
async function oneTurn(body: () => Promise<Turn>): Promise<Turn> {
  try {
    return await body();
  } catch (error) {
    if (!(error instanceof LoopJump)) throw error;
    if (error.levels > 1) throw new LoopJump(error.kind, error.levels - 1);
    return error.kind;
  }
}

async function runCase(shell: Shell, { subject, items }: CaseCommand, context: RunContext): Promise<number> {
  const text = await expandText(shell, subject);
  let status = 0;
  let fallsThrough = false;
  for (const { patterns, body, fallsThrough: goesOn } of items) {
    if (!fallsThrough && !(await matchesAny(shell, patterns, text))) continue;
    status = await run(shell, body, goesOn ? { ...context, last: false } : context);
    if (!goesOn) return status;
    fallsThrough = true;
  }
  return status;
}

async function matchesAny(shell: Shell, patterns: CaseCommand['items'][number]['patterns'], text: string) {
  for (const pattern of patterns) if (matchesPattern(await expandPattern(shell, pattern), text)) return true;
  return false;
}
