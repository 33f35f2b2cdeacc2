import { rpcName } from '../../cri/messages.js';
import { allMethods } from '../../cri/methods.js';
import type { EntryOf } from '../entries.js';
import type { Direction, JsonObject } from '../message.js';
import { codeName, readPairs } from './go-text.js';
import { jsonOfGoValue } from './go-value.js';
import { createImportedCalls } from './imported-calls.js';
import type { LogReader } from './log-reader.js';
import { jsonOfProtoText } from './prototext.js';

const LACKS = [
  'streams and their messages, such as container events',
  'deadlines, connections, and who ended a call',
  'exec output, and where a part of a command ends that has spaces (until version 1.34)',
];

const unary = new Set(allMethods.filter(({ stream }) => !stream).map(({ name }) => name));

export function createCrioLogReader(): LogReader {
  const calls = createImportedCalls();
  return {
    runtime: { name: 'cri-o', version: 'unknown', apiVersion: 'v1' },
    option: '--log-level debug',
    lacks: LACKS,
    counts: calls.counts,
    read: (line) => {
      const start = line.indexOf('time="');
      if (start < 0) return undefined;
      const pairs = readPairs(line.slice(start));
      const method = rpcName(pairs.get('name') ?? '');
      const [, what, body = ''] =
        /^(Request|Response|Response error): (.*)$/s.exec(pairs.get('msg') ?? '') ?? [];
      if (what === undefined || !unary.has(method)) return undefined;
      const time = timeOf(pairs.get('time') ?? '');
      const key = pairs.get('id') ?? '';
      if (time === undefined) return undefined;
      const happening =
        what === 'Request'
          ? calls.begun({ time, method, key, message: messageOf(method, 'Request', body) }, line.length)
          : what === 'Response'
            ? calls.ended({ time, method, key, code: 'OK', message: messageOf(method, 'Response', body) })
            : calls.ended({ time, method, key, message: {}, ...errorOf(body) });
      return happening && { time, happening };
    },
  };
}

/** Parses `2026-01-31 10:20:30.123456789Z`, or a time with an offset, to Unix nanoseconds. */
function timeOf(text: string): bigint | undefined {
  const [, seconds, fraction = '', zone] =
    /^(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/.exec(text) ?? [];
  if (seconds === undefined) return undefined;
  const millis = Date.parse(`${seconds.replace(' ', 'T')}${zone}`);
  return BigInt(millis) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}

/** Up to 1.34, CRI-O writes messages as Go values. */
const messageOf = (method: string, direction: Direction, text: string): JsonObject =>
  text.startsWith('&') ? jsonOfGoValue(method, direction, text) : jsonOfProtoText(method, direction, text);

function errorOf(text: string): { readonly code: EntryOf<'reply'>['code']; readonly details: string } {
  const [, code, details] = /^rpc error: code = (\w+) desc = (.*)$/s.exec(text) ?? [];
  return { code: codeName(code ?? 'Unknown') as EntryOf<'reply'>['code'], details: details ?? text };
}
