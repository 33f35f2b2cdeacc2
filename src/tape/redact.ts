import { createHmac } from 'node:crypto';
import type { Line } from './entries.js';
import type { Redaction } from './keep.js';
import type { JsonObject } from './message.js';
import { createSecrets } from './secrets.js';

/** Annotations with values from the kubelet or Mockri that contain nothing private. */
const KNOWN_ANNOTATIONS =
  /^(io\.kubernetes\.container\.(hash|restartCount|terminationMessagePath|terminationMessagePolicy|ports)|io\.kubernetes\.pod\.(terminationGracePeriod|deletionGracePeriod)|kubernetes\.io\/config\.(seen|source|hash|mirror)|(behavior|fault)\.mockri\.dev\/.*)$/;

/** Fields that may repeat a secret: errors do, and the kubelet expands `$(NAME)` in commands and arguments. */
const FREE_TEXT = new Set(['details', 'text', 'message', 'reason', 'command', 'args', 'cmd']);

export type Redactor = (line: Line) => Line;

/**
 * Replaces everything that `keep` doesn't name by keyed hashes, `redacted:` with 16 hex digits: equal values stay equal
 * within a tape, and the key is never written, so values cannot be guessed. Bytes stay base64 and messages stay
 * readable.
 */
export function createRedactor(keep: ReadonlySet<Redaction>, key: Buffer): Redactor {
  const hash = (value: string | Buffer): string =>
    `redacted:${createHmac('sha256', key).update(value).digest('hex').slice(0, 16)}`;
  const secrets = createSecrets(hash);
  const hide = (value: unknown): unknown => {
    if (typeof value !== 'string' || value === '') return value;
    secrets.remember(value);
    return hash(value);
  };
  /** Hashes the decoded bytes, so that a text has the same hash in fields of either type. */
  const hideBytes = (value: unknown): unknown => {
    if (typeof value !== 'string' || value === '') return value;
    const bytes = Buffer.from(value, 'base64');
    secrets.remember(bytes.toString());
    return Buffer.from(hash(bytes)).toString('base64');
  };

  const byKey: Readonly<Record<string, (value: unknown) => unknown>> = {
    ...(!keep.has('env') && { envs: (list: unknown) => eachIn(list, 'value', hideBytes) }),
    ...(!keep.has('auth') && { auth: (value: unknown) => allOf(value, hide) }),
    ...(!keep.has('exec') && { stdout: bytesOnly(hideBytes), stderr: bytesOnly(hideBytes), url: hide }),
    ...(!keep.has('info') && { info: (value: unknown) => allOf(value, hide) }),
    ...(!keep.has('annotations') && {
      annotations: (value: unknown) =>
        mapEntries(value, (name, text) => (KNOWN_ANNOTATIONS.test(name) ? text : hide(text))),
    }),
  };

  /** Copies an object with private parts replaced; returns the same object if there are none. */
  const clean = (value: unknown, name = ''): unknown => {
    const special = byKey[name];
    if (special !== undefined) return special(value);
    if (typeof value === 'string') return FREE_TEXT.has(name) ? secrets.hide(value) : value;
    if (Array.isArray(value)) return mapSame(value, (item) => clean(item, name));
    return isObject(value) ? cleanObject(value) : value;
  };
  const cleanObject = (object: JsonObject): JsonObject => {
    // Variables follow the commands that repeat them.
    byKey.envs?.(object.envs);
    return mapFields(object, (key, item) => clean(item, key));
  };

  return (line) => {
    secrets.nextLine();
    const hidden = { ...line };
    if ('message' in hidden && hidden.message !== undefined) hidden.message = cleanObject(hidden.message);
    if (!keep.has('raw') && 'raw' in hidden) delete hidden.raw;
    if ('text' in hidden && hidden.text !== undefined) {
      const isPrivate =
        (line.kind === 'probe' && !keep.has('exec')) || (line.kind === 'log' && !keep.has('logs'));
      hidden.text = isPrivate ? hash(hidden.text) : secrets.hide(hideProbeOutput(hidden.text, keep, hash));
    }
    if ('details' in hidden && hidden.details !== undefined) hidden.details = secrets.hide(hidden.details);
    return hidden;
  };
}

/** Kubelet events contain the output of probe and hook programs after these words (prober.go, lifecycle). */
function hideProbeOutput(text: string, keep: ReadonlySet<Redaction>, hash: (text: string) => string): string {
  if (keep.has('exec')) return text;
  return text.replace(
    /((?:[Pp]robe (?:failed|errored|warning)[^:]*|message): )(.+)$/s,
    (_, words: string, output: string) => words + hash(output),
  );
}

const bytesOnly =
  (hide: (value: unknown) => unknown) =>
  (value: unknown): unknown =>
    typeof value === 'string' ? hide(value) : value;

const allOf = (value: unknown, change: (item: unknown) => unknown): unknown =>
  mapEntries(value, (_, item) => change(item));

function eachIn(list: unknown, field: string, change: (item: unknown) => unknown): unknown {
  if (!Array.isArray(list)) return list;
  return list.map((item) => mapEntries(item, (name, value) => (name === field ? change(value) : value)));
}

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null;

const mapEntries = (value: unknown, change: (name: string, item: unknown) => unknown): unknown =>
  isObject(value) ? mapFields(value, change) : value;

function mapFields(object: JsonObject, change: (name: string, item: unknown) => unknown): JsonObject {
  let copy: JsonObject | undefined;
  for (const [name, item] of Object.entries(object)) {
    const changed = change(name, item);
    if (changed === item) continue;
    copy ??= { ...object };
    copy[name] = changed;
  }
  return copy ?? object;
}

function mapSame(list: readonly unknown[], change: (item: unknown) => unknown): readonly unknown[] {
  let isSame = true;
  const changed = list.map((item) => {
    const made = change(item);
    isSame &&= made === item;
    return made;
  });
  return isSame ? list : changed;
}
