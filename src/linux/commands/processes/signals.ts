import type { Process, SeenProcess, SignalName } from '../../process/process.js';
import { signalName, signalNumber } from '../../process/signals.js';
import { getopt, type Options } from '../kit/getopt.js';
import { command, type Tool, ToolError } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';
import { posixRegex } from '../text/regex.js';
import { commandLine, maySignal, programName, visibleFrom } from './facts.js';

const SIGNALS = Array.from({ length: 31 }, (_, index) => index + 1);

/** `-9`, `-KILL`, `-SIGKILL`, `-s KILL`: the signal (TERM if none), undefined for 0, and the other arguments. */
function signalAndRest(args: readonly string[]): { signal: SignalName | undefined; rest: readonly string[] } {
  const [first = '', second = ''] = args;
  const given = first === '-s' ? second : /^-(\d+|[A-Z][A-Z0-9+-]+)$/.exec(first)?.[1];
  const rest = given === undefined ? args : args.slice(first === '-s' ? 2 : 1);
  if (given === '0') return { signal: undefined, rest };
  const signal = given === undefined ? 'TERM' : signalName(given);
  if (signal === undefined) throw new ToolError(`bad signal name '${given}'`);
  return { signal, rest };
}

const send = (from: Process, to: SeenProcess, signal: SignalName | undefined): void => {
  if (signal !== undefined) from.container.kill(to.pid, signal);
};

/** `kill -l`, and `kill -l 15` or `kill -l TERM`, which convert between number and name. */
async function listSignals(tool: Tool, wanted: readonly string[]): Promise<void> {
  if (wanted.length === 0) {
    const rows = SIGNALS.map((number) => `${String(number).padStart(2)}) ${signalName(String(number))}\n`);
    return tool.print(rows.join(''));
  }
  for (const text of wanted) {
    const code = Number(text);
    const name = signalName(code > 128 ? String(code - 128) : text);
    if (name === undefined) throw new ToolError(`unknown signal '${text}'`);
    await tool.print(`${Number.isNaN(code) ? signalNumber(name) : name}\n`);
  }
}

/** Signals a PID or, below zero, a group; returns the error, if any. */
function signalOne(from: Process, target: number, signal: SignalName | undefined): string | undefined {
  const all = visibleFrom(from);
  const meant = target > 0 ? all.filter(({ pid }) => pid === target) : all.filter(inGroup(from, target));
  if (meant.length === 0) return 'No such process';
  const allowed = meant.filter((one) => maySignal(from, one));
  for (const one of allowed) send(from, one, signal);
  return allowed.length > 0 ? undefined : 'Operation not permitted';
}

/** kill(2): 0 is the own group, -1 every process but init and itself, -n group n. */
function inGroup(from: Process, target: number): (process: SeenProcess) => boolean {
  if (target === -1) return ({ pid }) => pid !== 1 && pid !== from.pid;
  const id = target === 0 ? from.group.id : -target;
  return ({ group }) => group.id === id;
}

const kill = command({ isRaw: true }, async (tool) => {
  if (tool.args[0] === '-l') return listSignals(tool, tool.args.slice(1));
  const { signal, rest } = signalAndRest(tool.args);
  const targets = rest[0] === '--' ? rest.slice(1) : rest;
  if (targets.length === 0) throw new ToolError('you need to specify whom to kill');
  for (const target of targets) {
    if (!/^-?\d+$/.test(target)) {
      await tool.complain(`invalid number '${target}'`);
      continue;
    }
    const problem = signalOne(tool.process, Number(target), signal);
    if (problem !== undefined) await tool.complain(`can't kill pid ${target}: ${problem}`);
  }
});

const killall = command({ isRaw: true }, async (tool) => {
  if (tool.args[0] === '-l') return listSignals(tool, []);
  const { process } = tool;
  const isQuiet = tool.args.includes('-q');
  const { signal, rest } = signalAndRest(tool.args.filter((arg) => arg !== '-q'));
  if (rest.length === 0) throw new ToolError('you need to specify whom to kill');
  for (const name of rest) {
    const meant = visibleFrom(process).filter((one) => one.pid !== process.pid && programName(one) === name);
    for (const one of meant.filter((each) => maySignal(process, each))) send(process, one, signal);
    if (meant.length > 0) continue;
    tool.code = 1;
    if (!isQuiet) await tool.complain(`${name}: no process killed`);
  }
});

const pidof = command('so:', async (tool) => {
  const omitted = tool.options.values('o');
  const found = tool.operands
    .flatMap((name) => visibleFrom(tool.process).filter((one) => programName(one) === name))
    .map(({ pid }) => String(pid))
    .filter((pid) => !omitted.includes(pid))
    .reverse();
  const shown = tool.has('s') ? found.slice(0, 1) : found;
  if (shown.length === 0) return 1;
  await tool.print(`${shown.join(' ')}\n`);
  return 0;
});

/** The processes that pgrep and pkill select: never themselves. */
function matching(process: Process, options: Options): readonly SeenProcess[] {
  const [pattern] = options.operands;
  if (pattern === undefined && !options.has('P')) throw new ToolError('no pattern given');
  const expression = posixRegex(options.has('x') ? `^(${pattern})$` : (pattern ?? ''), true);
  const text = (one: SeenProcess) => (options.has('f') ? commandLine(one) : programName(one));
  const parent = options.value('P');
  const found = visibleFrom(process).filter(
    (one) =>
      one.pid !== process.pid &&
      expression.test(text(one)) !== options.has('v') &&
      (parent === undefined || String(one.ppid) === parent),
  );
  if (options.has('o')) return found.slice(0, 1);
  return options.has('n') ? found.slice(-1) : found;
}

const pgrep = command('cflanovxP:', async (tool) => {
  const found = matching(tool.process, tool.options);
  const line = (one: SeenProcess) => {
    if (tool.has('a')) return `${one.pid} ${commandLine(one)}`;
    return tool.has('l') ? `${one.pid} ${programName(one)}` : String(one.pid);
  };
  if (tool.has('c')) await tool.print(`${found.length}\n`);
  else await tool.print(found.map((one) => `${line(one)}\n`).join(''));
  return found.length > 0 ? 0 : 1;
});

const pkill = command({ isRaw: true }, async (tool) => {
  const { process } = tool;
  const { signal, rest } = signalAndRest(tool.args);
  const found = matching(process, getopt(rest, 'flnovxP:'));
  const allowed = found.filter((one) => maySignal(process, one));
  for (const one of allowed) send(process, one, signal);
  if (found.length > allowed.length) await tool.complain(`${tool.name}: Operation not permitted`);
  return allowed.length > 0 ? 0 : 1;
});

/** busybox's commands for processes; a signal reaches the processes of the PID namespace. */
export const processSignalCommands: CommandTable = { kill, killall, pgrep, pidof, pkill };
