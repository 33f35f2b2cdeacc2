import { Command } from 'commander';
import { append } from '../../../base/input/group-by.js';
import { InputError } from '../../../base/input/yaml.js';
import { oneLine } from '../../../base/markup/terminal.js';
import { durationOf, type FinishedCall, faultsOf, joinCalls, type OtherEntry } from '../../../tape/calls.js';
import { lineSchema, type Subject } from '../../../tape/entries.js';
import { type NumberedEntry, openTape } from '../../../tape/read.js';
import { showCall, showEntry, showHeader, showNanos, showSubject } from '../../../tape/show.js';
import { addOptions, defineOptions, type OptionsOf } from '../../options/define-options.js';
import { checkOnly } from '../../options/only.js';
import { methodSchema, patternSchema } from '../../options/option.js';
import { linesInOrder } from './order.js';
import { openOutput } from './output.js';
import { createNameFilter, entriesFor } from './selection.js';

const EXAMPLES = `
Examples:
  $ mockri tape show run.tape.gz                       # by pod and container
  $ mockri tape show run.tape.gz --flat --method StartContainer
  $ mockri tape show run.tape.gz --pod web --json | jq .duration
  $ mockri tape show nodes.tape.gz --node 'mock-1*' --faulty
`;

/** Kinds to show; `message` means the messages of streams. */
const kinds = lineSchema.options
  .map(({ shape }) => shape.kind.value)
  .filter((kind) => kind !== 'header' && kind !== 'reply' && kind !== 'end');
type Kind = (typeof kinds)[number];

const called: readonly Kind[] = ['call', 'message', 'fault'];
const ofContainers: readonly Kind[] = [...called, 'nri', 'container', 'log', 'backoff', 'probe'];

const kindsOf: Readonly<Record<string, readonly Kind[]>> = {
  method: called,
  container: ofContainers,
  pod: [...ofContainers, 'sandbox', 'row', 'event', 'pod'],
  faulty: ['call', 'fault'],
};

const options = defineOptions({
  '--only <kinds...>': { about: 'only these kinds of entries; default: all', choices: kinds },
  '--method <name>': { about: 'only calls and faults of this RPC', schema: methodSchema },
  '--node <pattern>': { about: 'only these nodes: a name, glob or /expression/', schema: patternSchema },
  '--pod <name>': { about: 'only this pod: a name, namespace/name, or the beginning of an id' },
  '--container <name>': { about: 'only this container: a name, or the beginning of an id' },
  '--faulty': { about: 'only faults, and calls that a fault rule affected' },
  '--flat': { about: 'in order of time instead of by pod' },
  '--json': { about: 'print one JSON object per call or entry, with messages' },
});
type Flags = OptionsOf<typeof options>;

/** `mockri tape show` prints the calls of a tape with their times, and all other entries. */
export function tapeShowCommand(): Command {
  return addOptions(new Command('show'), options)
    .description('show the calls of a tape with their times, by pod and container')
    .argument('<file>', 'a tape')
    .addHelpText('after', EXAMPLES)
    .action(show);
}

type Shown = FinishedCall | OtherEntry;

async function show(file: string, flags: Flags): Promise<void> {
  checkOnly(flags.only, { ...flags }, kindsOf);
  const tape = await openTape(file);
  const names = createNames(flags);
  const output = openOutput();
  const toText = flags.json
    ? (each: Shown) => JSON.stringify(toJson(each))
    : (each: Shown) => oneLine(flatLine(each));
  const entries = entriesFor(tape, flags.node);
  const isChosen = (each: Shown) => names.choose(each) && isWanted(each, flags);
  if (!flags.json) output.line(showHeader(tape.header));
  const isGrouped = !flags.json && !flags.flat;
  await output.lines(
    isGrouped
      ? groupedLines(entries, isChosen, file)
      : linesInOrder(entries, (each) => (isChosen(each) ? toText(each) : undefined)),
  );
  names.check();
  if (tape.isCut) process.stderr.write(`${file}: the last line is cut off; the lines before it are shown\n`);
  await output.end();
}

async function* groupedLines(
  entries: AsyncIterable<NumberedEntry>,
  isChosen: (each: Shown) => boolean,
  file: string,
): AsyncGenerator<string> {
  const groups = createGroups(file);
  for await (const each of joinCalls(entries)) if (isChosen(each)) groups.add(each);
  yield* groups.lines();
}

const subjectOf = (each: Shown): Subject => (each.kind === 'finished' ? each.call : (each.entry as Subject));

function isWanted(each: Shown, { only, method, faulty }: Flags): boolean {
  const kind = each.kind === 'finished' ? 'call' : each.entry.kind;
  if (only !== undefined && !(only as readonly string[]).includes(kind)) return false;
  const entry = each.kind === 'finished' ? each.call : each.entry;
  if (method !== undefined && (!('method' in entry) || entry.method !== method)) return false;
  return !faulty || kind === 'fault' || (each.kind === 'finished' && faultsOf(each).length > 0);
}

function createNames(flags: Flags) {
  const filterOf = (option: 'pod' | 'container') => {
    const word = flags[option];
    return createNameFilter(`--${option}`, word, (key) => key === word);
  };
  const [pods, containers] = [filterOf('pod'), filterOf('container')];
  /** Ids match by prefix. */
  const beginning = (id: string | undefined, word: string | undefined): string[] =>
    word !== undefined && id?.startsWith(word) ? [word] : [];
  return {
    choose: (each: Shown): boolean => {
      const { pod, container } = subjectOf(each);
      const path = pod && `${pod.namespace}/${pod.name}`;
      if (!pods.chooses(pod?.name, ...(path ? [path] : []), ...beginning(pod?.id, flags.pod))) return false;
      return containers.chooses(container?.name, ...beginning(container?.id, flags.container));
    },
    check: () => {
      pods.check();
      containers.check();
    },
  };
}

function toJson(each: Shown): object {
  if (each.kind === 'other') {
    const { line, entry } = each;
    return 'message' in entry ? { line, ...entry, message: entry.message.json() } : { line, ...entry };
  }
  const { line, call, end, messages } = each;
  const { message, ...asked } = call;
  const duration = durationOf(each);
  return {
    line,
    ...asked,
    ...(end && { code: end.code, details: end.details, by: end.by }),
    duration: duration === undefined ? null : duration / 1e6,
    messages,
    faults: faultsOf(each),
    request: message.json(),
    ...(end?.kind === 'reply' && end.message && { reply: end.message.json() }),
  };
}

const lineOf = (each: Shown): string => (each.kind === 'finished' ? showCall(each) : showEntry(each));

function flatLine(each: Shown): string {
  return [lineOf(each), nodeOf(each), showSubject(subjectOf(each))].filter(Boolean).join('  ');
}

function nodeOf(each: Shown): string | undefined {
  const entry = each.kind === 'finished' ? each.call : each.entry;
  return entry.kind === 'header' ? undefined : entry.node;
}

/** Limits of lines kept for grouping: their number, and their characters. */
const MOST_LINES = 1_000_000;
const MOST_TEXT = 256 * 1024 * 1024;

interface Line {
  readonly line: number;
  readonly text: string;
}

/** Orders by time: calls arrive at their end, and are placed at their beginning. */
const inOrder = (lines: Line[]): string[] => lines.sort((a, b) => a.line - b.line).map(({ text }) => text);

/** Groups lines by pod and container; only counts calls without a pod. */
function createGroups(file: string) {
  const pods = new Map<string, Map<string, Line[]>>();
  const others: Line[] = [];
  const polled = new Map<string, number[]>();
  let [count, size] = [0, 0];
  const kept = ({ line }: Shown, text: string): Line => {
    size += text.length;
    return { line, text: oneLine(text) };
  };
  return {
    /** Throws InputError if there are too many to group. */
    add: (each: Shown) => {
      if (++count > MOST_LINES || size > MOST_TEXT)
        throw new InputError([
          `${file}: it is too long to be shown by pod: more than ${MOST_LINES} entries, or ${MOST_TEXT} characters; give --flat, or choose with --pod, --method or --only`,
        ]);
      const { pod, container } = subjectOf(each);
      if (pod !== undefined) {
        const node = nodeOf(each);
        const name = oneLine(`${pod.namespace}/${pod.name}${node === undefined ? '' : `  on ${node}`}`);
        const containers = pods.get(name) ?? new Map<string, Line[]>();
        pods.set(name, containers);
        const inner = oneLine(container?.name ?? '');
        const attempt = container?.attempt ? `  attempt ${container.attempt}` : '';
        append(containers, inner, kept(each, lineOf(each) + attempt));
      } else if (each.kind === 'finished' && each.end?.code === 'OK')
        append(polled, each.call.method, durationOf(each) ?? 0);
      else others.push(kept(each, flatLine(each)));
    },
    *lines(): Generator<string> {
      for (const [pod, containers] of pods) {
        yield `\n${pod}`;
        for (const [container, lines] of containers) {
          if (container !== '') yield `  ${container}`;
          yield* inOrder(lines);
        }
      }
      if (others.length > 0) yield '\nthe rest';
      yield* inOrder(others);
      if (polled.size === 0) return;
      yield '\ncalls about no pod, all OK                  count    median   longest';
      for (const [method, durations] of [...polled].sort((a, b) => b[1].length - a[1].length)) {
        durations.sort((a, b) => a - b);
        const median = showNanos(durations[durations.length >> 1] ?? 0);
        const longest = showNanos(durations.at(-1) ?? 0);
        yield `  ${method.padEnd(38)} ${String(durations.length).padStart(8)} ${median.padStart(9)} ${longest.padStart(9)}`;
      }
    },
  };
}
