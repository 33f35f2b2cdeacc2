import type { Seen, SeenTime } from '../facts.js';
import { AGE, parseAge } from './age.js';
import { describedPod, type LineContext, type LineReader, podName, timesOf } from './context.js';

const AGO = `(${AGE}|<unknown>|<invalid>)(?:\\s+\\(x(\\d+) over (${AGE})\\))?`;
const HEADERS = [
  /^(?:NAMESPACE\s+)?LAST SEEN\s+/,
  /^\s*Type\s+Reason\s+Age\s+From\s+Message/,
  /^\s*(?:NAMESPACE\s+)?(?:FIRST|LAST)\s?SEEN\s+/i,
  /^\s*(?:-{3,}\s+){2,}-{3,}/,
  /^\s*TIME\s+TYPE\s+REASON\s+POD\s+MESSAGE/,
  /^Events:/,
];

/** kubectl describe. */
const DESCRIBED = new RegExp(
  `^\\s*(Normal|Warning)\\s+(\\w+)\\s+${AGO}\\s+([^\\s,]+(?:,\\s?\\S+)?)\\s+(.*)$`,
);
/** kubectl get events; `-o wide` adds columns after two spaces. */
const LISTED = new RegExp(
  `^(?:([a-z0-9][-a-z0-9]*)\\s+)?${AGO}\\s+(Normal|Warning)\\s+(\\w+)\\s+([\\w.-]+)/(\\S+)\\s+(.*)$`,
);
/** kubectl describe and get events before 1.14: first and last seen, count, source. */
const OLD_DESCRIBED = new RegExp(
  `^\\s*(${AGE})\\s+(${AGE})\\s+(\\d+)\\s+(?:\\{?([\\w-]+)[ ,]\\s?[^\\s}]*\\}?|(\\S+))\\s+(?:spec\\S*\\s+)?(Normal|Warning)\\s+(\\w+)\\s+(.*)$`,
);
const OLD_LISTED = new RegExp(
  `^(?:\\S+\\s+)?(${AGE})\\s+(${AGE})\\s+(\\d+)\\s+(\\S+?)(?:\\.[0-9a-f]{16})?\\s+(Pod|Node)\\s+(?:spec\\S*\\s+)?(Normal|Warning)\\s+(\\w+)\\s+(?:\\{?([\\w-]+)[ ,]\\s?[^\\s}]*\\}?|(\\S+))\\s+(.*)$`,
);
/** \`mockri simulate --output events\`, whose time is taken already. */
const OWN = /^(Normal|Warning)\s+(\w+)\s+(\S+)\s+(.*)$/;

/** Columns after the object with `-o wide`: its part, its source, and the spaces between. */
const WIDE = /^(?:spec\.\S+)?\s{2,}(\S+)(?:\s\S+)*\s{2,}/;

const ago = (text: string | undefined, { capture }: LineContext): SeenTime[] => {
  const span = text === undefined ? undefined : parseAge(text);
  return span === undefined ? [] : [{ by: 'ago', capture, span }];
};

export const readEventLine: LineReader = (line, context, own) => {
  if (HEADERS.some((header) => header.test(line))) {
    if (/SEEN|^Events:/i.test(line)) context.capture++;
    return [];
  }
  return (
    described(line, context) ?? listed(line, context) ?? old(line, context) ?? mockri(line, own, context)
  );
};

function described(line: string, context: LineContext): Seen[] | undefined {
  const [, type = '', reason, last, count = '1', over, from = '', message = ''] = DESCRIBED.exec(line) ?? [];
  if (reason === undefined) return undefined;
  const pod = describedPod(context);
  return [
    event({
      ...{ pod, type, reason, message, count, source: from },
      ...{ last: ago(last, context), first: ago(over ?? last, context) },
    }),
  ];
}

function listed(line: string, context: LineContext): Seen[] | undefined {
  const [, namespace, last, count = '1', over, type = '', reason, kind, name = '', rest = ''] =
    LISTED.exec(line) ?? [];
  if (reason === undefined) return undefined;
  const pod = kind?.toLowerCase() === 'pod' ? podName(namespace, name) : '';
  if (pod === '' && kind?.toLowerCase() !== 'node') return [];
  const { first = over ?? last, ...own } = wideColumns(rest);
  return [
    event({
      ...{ pod, type, reason, count, ...own },
      ...{ last: ago(last, context), first: ago(first, context) },
    }),
  ];
}

/** Text after the object in a row: the message alone, or with `-o wide` the source and then first time and count. */
function wideColumns(
  rest: string,
): Pick<EventParts, 'message' | 'source'> & { first?: string; count?: string } {
  const [start, source] = WIDE.exec(rest) ?? [];
  if (start === undefined) return { message: rest };
  const columns = rest.slice(start.length).split(/(\s{2,})/);
  const [first = '', , count = '', , name = ''] = columns.slice(-5);
  const hasEnd = columns.length > 6 && /^\S+$/.test(first) && /^\d+$/.test(count) && /^\S+$/.test(name);
  if (!hasEnd) return { message: columns.join(''), source };
  return { message: columns.slice(0, -6).join(''), source, first, count };
}

function old(line: string, context: LineContext): Seen[] | undefined {
  const table = OLD_LISTED.exec(line);
  if (table !== null) {
    const [, last, first, count = '1', name = '', kind, type = '', reason = '', own, other, message = ''] =
      table;
    const pod = kind === 'Pod' ? name : '';
    return [
      event({
        ...{ pod, type, reason, message, count, source: own ?? other },
        ...{ last: ago(last, context), first: ago(first, context) },
      }),
    ];
  }
  const found = OLD_DESCRIBED.exec(line);
  if (found === null) return undefined;
  const [, first, last, count = '1', own, other, type = '', reason = '', message = ''] = found;
  const pod = describedPod(context);
  return [
    event({
      ...{ pod, type, reason, message, count, source: own ?? other },
      ...{ last: ago(last, context), first: ago(first, context) },
    }),
  ];
}

function mockri(line: string, own: SeenTime | undefined, context: LineContext): Seen[] | undefined {
  const [, type = '', reason, pod = '', message = ''] = OWN.exec(line) ?? [];
  if (reason === undefined || own === undefined) return undefined;
  const times = timesOf(context, own);
  return [event({ pod, type, reason, message, count: '1', last: times, first: times })];
}

interface EventParts {
  readonly pod: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: string;
  readonly source?: string | undefined;
  readonly last: readonly SeenTime[];
  readonly first: readonly SeenTime[];
}

/** The object's part, which some versions print before the message. */
const PART = /^spec\.\w+\{[^}]*\}:\s*/;
/** client-go puts this before the latest message of more than ten similar events (events_cache.go). */
const COMBINED = /^\(combined from similar events\): /;

/** Kubelets before 1.8 report every failed sync with one reason. */
const NOT_KILLED = /^Error syncing pod, skipping: (?=error killing pod: )/;

const event = ({ count, last, message, source, reason, ...rest }: EventParts): Seen => ({
  what: 'event',
  ...rest,
  reason: reason === 'FailedSync' && NOT_KILLED.test(message) ? 'FailedKillPod' : reason,
  // `kubelet, node-1` in a column, `kubelet` in others.
  ...(source !== undefined && source !== '' && { source: source.replace(/,.*$/, '') }),
  message: message.trim().replace(PART, '').replace(COMBINED, '').replace(NOT_KILLED, ''),
  count: Math.max(1, Number(count)),
  times: last,
});
