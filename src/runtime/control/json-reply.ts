import type { Cpu } from '../../base/clock/cpu.js';
import { jsonable } from './server-sent-event.js';

/** Characters that are made in one go. */
const SLICE = 64 * 1024;
/** A longer list is made element by element. */
const SHORT_LIST = 100;

/** A value as JSON and a newline, like `JSON.stringify`, but others have turns while it is made: state may have 16 MiB. */
export async function jsonReply(value: unknown, cpu: Cpu): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let text = '';
  for (const part of partsOf(value)) {
    text += part;
    if (text.length < SLICE) continue;
    chunks.push(Buffer.from(text));
    text = '';
    await cpu.request();
  }
  chunks.push(Buffer.from(`${text}\n`));
  return Buffer.concat(chunks);
}

function* partsOf(value: unknown): Generator<string> {
  if (isLongList(value)) {
    let before = '[';
    for (const item of value) {
      yield before;
      yield* partsOf(item);
      before = ',';
    }
    yield ']';
  } else if (hasLongList(value)) {
    let before = '{';
    for (const [name, item] of Object.entries(value)) {
      if (item === undefined) continue;
      yield `${before}${JSON.stringify(name)}:`;
      yield* partsOf(item);
      before = ',';
    }
    yield '}';
  } else yield JSON.stringify(value, jsonable) ?? 'null';
}

const isLongList = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.length > SHORT_LIST;

const hasLongList = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !('toJSON' in value) &&
  Object.values(value).some(isLongList);
