import { Command } from 'commander';
import { counted } from '../../base/input/counted.js';
import { wholeNumberSchema } from '../../base/input/schemas.js';
import { UserError } from '../../base/input/user-error.js';
import { csi, oneLine } from '../../base/markup/terminal.js';
import { compilePattern } from '../../runtime/faults/language/pattern.js';
import { addControlOption, connectControl, type ServerSentMessage } from '../control-client.js';
import { addOptions, defineOptions, type OptionsOf } from '../options/define-options.js';
import { checkOnly } from '../options/only.js';
import { methodSchema, patternSchema } from '../options/option.js';
import { untilStopped } from '../signals.js';
import { wantsColor } from '../terminal/color.js';

const kinds = ['call', 'event', 'fault'] as const;
type Kind = (typeof kinds)[number];

const EXAMPLES = `
Examples:
  $ mockri watch
  $ mockri watch --only call fault --pod web-1
  $ mockri watch --method StartContainer --json | jq .duration
  $ mockri watch --node 'mock-1*'       # of mockri node
  $ mockri watch --faulty --count 1     # waits for the first call that a rule affects

Exit code: 0 after Ctrl-C or --count lines, 1 no server responds, or the connection ends.
`;

type Print = (text: string) => void;

const options = defineOptions({
  '--only <kinds...>': { about: 'print only these kinds; default: all', choices: kinds },
  '--method <name>': { about: 'only calls and faults of this RPC', schema: methodSchema },
  '--node <pattern>': {
    about: 'only these nodes of mockri node: a name, glob or /expression/',
    schema: patternSchema,
  },
  '--pod <pattern>': {
    about: 'only these pods: a name, glob or /expression/, or namespace/name',
    schema: patternSchema,
  },
  '--container <pattern>': {
    about: 'only these containers: app, or app(1) for one attempt',
    schema: patternSchema,
  },
  '--faulty': { about: 'only faults, and calls that a fault rule affected' },
  '--count <lines>': { about: 'stop after this number of lines', schema: wholeNumberSchema(1) },
  '--json': { about: 'print one JSON object per line' },
});
type Flags = OptionsOf<typeof options> & { readonly control: string };

/** `mockri watch` prints calls, container events and faults of a running server as they happen. */
export function watchCommand(print: Print = (line) => process.stdout.write(`${oneLine(line)}\n`)): Command {
  return addOptions(addControlOption(new Command('watch')), options)
    .description('print calls, events and faults of a running server as they happen')
    .addHelpText('after', EXAMPLES)
    .action((flags: Flags) => watch(flags, print));
}

/** Container events have no method, and fault rules do not affect them. */
const kindsOf: Readonly<Record<string, readonly Kind[]>> = {
  method: ['call', 'fault'],
  faulty: ['call', 'fault'],
};

async function watch(flags: Flags, print: Print): Promise<void> {
  checkOnly(flags.only, { ...flags }, kindsOf);
  const format = flags.json ? toJson : toLine(wantsColor(process.stdout));
  let left = flags.count ?? Number.POSITIVE_INFINITY;
  await untilStopped(async ({ signal }) => {
    try {
      for await (const message of connectControl(flags.control).follow(pathOf(flags), signal)) {
        if (!isWanted(message, flags)) continue;
        print(format(message));
        if (--left <= 0 || signal.aborted) return;
      }
      if (!signal.aborted) throw new UserError('the server closed the connection');
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  });
}

/** The server filters by node: a thousand nodes make thousands of calls per second. */
const pathOf = ({ node }: Flags): string =>
  node === undefined ? '/v1/events' : `/v1/events?node=${encodeURIComponent(node)}`;

interface SubjectData {
  readonly pod?: { readonly name: string; readonly namespace: string };
  readonly container?: { readonly name: string; readonly attempt: number };
}

/** With `--proto` of the server: values by path. */
type NewFieldData = Readonly<Record<string, unknown>>;

interface CallData {
  readonly node?: string;
  readonly method: string;
  readonly peer: string;
  readonly code: string;
  readonly details?: string;
  readonly startedAt: string;
  readonly duration: number;
  readonly messages: number;
  readonly faults: readonly string[];
  readonly subject?: SubjectData;
  readonly image?: string;
  readonly newFields?: NewFieldData;
}

interface FaultData {
  readonly node?: string;
  readonly rule: string;
  readonly action: string;
  readonly on: string;
  readonly method?: string;
  readonly at: string;
  readonly subject: SubjectData;
}

interface EventData {
  readonly node?: string;
  readonly containerId?: string;
  readonly containerEventType?: string;
  readonly createdAt?: string;
  readonly podSandboxStatus?: {
    readonly id?: string;
    readonly metadata?: { readonly name?: string; readonly namespace?: string };
  };
  readonly containersStatuses?: readonly {
    readonly id?: string;
    readonly metadata?: { readonly name?: string; readonly attempt?: number };
  }[];
  readonly newFields?: NewFieldData;
}

function isWanted({ event, data }: ServerSentMessage, flags: Flags): boolean {
  const isOfKind = (kinds as readonly string[]).includes(event);
  if (!isOfKind) return true;
  if (flags.only && !flags.only.includes(event as Kind)) return false;
  const { pod, container } = subjectOf(event, data);
  const { method, faults } = data as Partial<CallData>;
  if (flags.method !== undefined && method !== flags.method) return false;
  if (flags.faulty && (event === 'event' || (event === 'call' && faults?.length === 0))) return false;
  const isPod = (word: string) =>
    pod !== undefined && isNamed(word, [pod.name, `${pod.namespace}/${pod.name}`]);
  const isContainer = (word: string) =>
    container !== undefined && isNamed(word, [container.name, `${container.name}(${container.attempt})`]);
  if (flags.pod !== undefined && !isPod(flags.pod)) return false;
  return flags.container === undefined || isContainer(flags.container);
}

function isNamed(filter: string, names: readonly string[]): boolean {
  if (names.includes(filter)) return true;
  const matches = compilePattern(filter);
  return names.some(matches);
}

function subjectOf(event: string, data: unknown): SubjectData {
  if (event !== 'event') return (data as Partial<CallData>).subject ?? {};
  const { podSandboxStatus, containersStatuses, containerId } = data as EventData;
  const pod = podSandboxStatus?.metadata;
  const container = containersStatuses?.find(({ id }) => id === containerId)?.metadata;
  return {
    ...(pod && { pod: { name: pod.name ?? '', namespace: pod.namespace ?? '' } }),
    ...(container && { container: { name: container.name ?? '', attempt: container.attempt ?? 0 } }),
  };
}

const toJson = ({ event, data }: ServerSentMessage): string =>
  JSON.stringify({ kind: event, ...(data as object) });

/** `07:26:00.127 call  StartContainer  default/web app  OK 1.2ms  [rule]` */
function toLine(colored: boolean): (message: ServerSentMessage) => string {
  const paint = (code: number, text: string) => (colored ? `${csi(`${code}m`)}${text}${csi('0m')}` : text);
  const lines: Readonly<Record<string, (data: unknown) => string>> = {
    call: (data) => {
      const call = data as CallData;
      const outcome = paint(call.code === 'OK' ? 32 : 31, call.code);
      const faults = call.faults.length > 0 ? paint(33, ` [${call.faults.join(', ')}]`) : '';
      const details = call.details ? ` ${call.details}` : '';
      const many = call.messages > 1 ? ` ${call.messages} messages` : '';
      const time = `${call.duration.toFixed(1)}ms`;
      const endedAt = BigInt(call.startedAt) + BigInt(Math.round(call.duration * 1e6));
      const image = call.image ? `${call.image} ` : '';
      return `${clockTime(String(endedAt))} call  ${nodeOf(call)}${paint(1, call.method)} ${showSubject(call.subject)}${image}${outcome} ${time}${many}${details}${faults}${showNew(call)} ${paint(2, call.peer)}`;
    },
    event: (data) => {
      const event = data as EventData;
      // JSON omits the first value of an enumeration, "created".
      const name = event.containerEventType ?? 'CONTAINER_CREATED_EVENT';
      const [, type = name] = /^CONTAINER_(\w+)_EVENT$/.exec(name) ?? [];
      const id = paint(2, (event.containerId ?? '').slice(0, 13));
      return `${clockTime(event.createdAt ?? '0')} event ${nodeOf(event)}${paint(36, type)} ${showSubject(subjectOf('event', data))}${id}${showNew(event)}`;
    },
    fault: (data) => {
      const fault = data as FaultData;
      return `${clockTime(fault.at)} fault ${nodeOf(fault)}${paint(33, fault.rule)} ${fault.action} on ${fault.method ?? fault.on} ${showSubject(fault.subject)}`.trimEnd();
    },
    lost: (data) =>
      `… ${counted((data as { readonly count: number }).count, 'line was', 'lines were')} lost: the server no longer has them`,
    end: (data) => `… the server closes the connection: ${(data as { readonly detail: string }).detail}`,
    error: (data) => `… no container events: ${(data as { readonly detail: string }).detail}`,
  };
  return ({ event, data }) => lines[event]?.(data) ?? `${event} ${JSON.stringify(data)}`;
}

/** ` request.config.ulimits=[{"name":"nofile"}]` */
const showNew = ({ newFields = {} }: { readonly newFields?: NewFieldData }): string =>
  Object.entries(newFields)
    .map(([path, value]) => ` ${path}=${JSON.stringify(value)}`)
    .join('');

const nodeOf = ({ node }: { readonly node?: string }): string => (node === undefined ? '' : `${node} `);

const showSubject = ({ pod, container }: SubjectData = {}): string =>
  `${pod ? `${pod.namespace}/${pod.name} ` : ''}${container ? `${container.name}(${container.attempt}) ` : ''}`;

/** Unix nanoseconds as time of day, in UTC. */
const clockTime = (nanos: string): string =>
  new Date(Number(BigInt(nanos) / 1_000_000n)).toISOString().slice(11, 23);
