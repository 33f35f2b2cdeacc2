import { messageTypeOf } from '../cri/messages.js';
import type { JsonObject } from '../tape/message.js';

/** A place where two replies differ. */
export interface FieldDifference {
  /** `status.mounts[].hostPath`; empty for the whole reply. */
  readonly path: string;
  readonly recorded: string;
  readonly live: string;
}

/** Fields whose value is another one each time. */
const VOLATILE = /(^|\.)(createdAt|startedAt|finishedAt|timestamp|ip|additionalIps\[\]|mountpoint|info)$/;
/** RPCs that measure: only which fields they have is compared. */
const MEASURES = /Stats$|Metrics$|^ImageFsInfo$/;
/** Times, addresses and process ids in texts. */
const PLACEHOLDERS: readonly (readonly [RegExp, string])[] = [
  [/\b\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)?/g, '<time>'],
  [/\b\d{1,3}(\.\d{1,3}){3}(:\d+)?\b/g, '<address>'],
  [/\bpid:?[ =]\d+/gi, 'pid <pid>'],
];

/** Where two replies of an RPC, in the names of the tape, differ in more than times and addresses. */
export function compareReplies(method: string, recorded: object, live: object): FieldDifference[] {
  const { toJSON } = messageTypeOf(method, 'Response');
  return compare(toJSON(recorded), toJSON(live), '', MEASURES.test(method));
}

/** Where two parts of replies differ. */
export function compareValues(recorded: unknown, live: unknown, path = ''): FieldDifference[] {
  return compare(recorded, live, path, false);
}

function compare(recorded: unknown, live: unknown, path: string, isMeasure: boolean): FieldDifference[] {
  if (VOLATILE.test(path)) return [];
  if (Array.isArray(recorded) && Array.isArray(live) && recorded.length === live.length)
    return recorded.flatMap((item, index) => compare(item, live[index], `${path}[]`, isMeasure));
  if (isObject(recorded) && isObject(live)) {
    const keys = [...new Set([...Object.keys(recorded), ...Object.keys(live)])];
    return keys.flatMap((key) =>
      compare(recorded[key], live[key], path === '' ? key : `${path}.${key}`, isMeasure),
    );
  }
  if (isMeasure && /number|string/.test(typeof (recorded ?? live))) return [];
  const texts = [show(recorded), show(live)] as const;
  return texts[0] === texts[1] ? [] : [{ path, recorded: texts[0], live: texts[1] }];
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Longest value that is shown, in characters. */
const LONGEST = 300;

/** A value in one line, with placeholders for times, addresses and process ids. */
export function show(value: unknown): string {
  const text = value === undefined ? 'none' : JSON.stringify(value);
  const plain = PLACEHOLDERS.reduce((shown, [pattern, by]) => shown.replace(pattern, by), text);
  return plain.length > LONGEST ? `${plain.slice(0, LONGEST)}…` : plain;
}
