import { messageTypeOf } from '../../cri/messages.js';
import { compareJson, showNormal } from '../diff/compare-json.js';
import { MEASURES, type Normal, PID, type Placeholder, TIME, withPlaceholders } from '../diff/normal-form.js';

export interface FieldDifference {
  /** `status.mounts[].hostPath`; empty for the whole reply. */
  readonly path: string;
  readonly recorded: string;
  readonly live: string;
}

/** Fields whose value is different each time. */
const VOLATILE = /(^|\.)(createdAt|startedAt|finishedAt|timestamp|ip|additionalIps\[\]|mountpoint|info)$/;
/** Times, addresses and process ids in texts. */
const PLACEHOLDERS: readonly Placeholder[] = [TIME, [/\b\d{1,3}(\.\d{1,3}){3}(:\d+)?\b/g, '<address>'], PID];

/** Differences between two replies of an RPC, in the names of the tape, beyond times and addresses. */
export function compareReplies(
  method: string,
  recorded: object | undefined,
  live: object | undefined,
): FieldDifference[] {
  const { toJSON } = messageTypeOf(method, 'Response');
  const normalOf = (reply: object | undefined) => reply && normal(toJSON(reply), '', MEASURES.test(method));
  const found = compareJson(normalOf(recorded), normalOf(live));
  return found.map(({ path, left, right }) => ({ path, recorded: left, live: right }));
}

/** A text in one line, with placeholders for times, addresses and process ids. */
export const showText = (text: string): string => showNormal(plain(text));

/** JSON without values that differ each time; for measuring RPCs, without any values. Undefined means omitted. */
function normal(value: unknown, path: string, isMeasure: boolean): Normal | undefined {
  if (VOLATILE.test(path)) return undefined;
  if (Array.isArray(value)) return value.map((item) => normal(item, `${path}[]`, isMeasure) ?? null);
  if (typeof value !== 'object' || value === null) {
    if (isMeasure) return undefined;
    return typeof value === 'string' ? plain(value) : (value as Normal);
  }
  const fields = Object.entries(value).flatMap(([name, item]) => {
    const part = normal(item, path === '' ? name : `${path}.${name}`, isMeasure);
    return part === undefined ? [] : [[name, part] as const];
  });
  return Object.fromEntries(fields);
}

const plain = (text: string): string => withPlaceholders(text, PLACEHOLDERS);
