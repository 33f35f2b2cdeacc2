import { durationOf, type FinishedCall, joinCalls } from './calls.js';
import type { TapeFile } from './read.js';

export interface Difference {
  readonly about: string;
  /** Number of the call, from 1. */
  readonly index: number;
  /** Lines of the two tapes; 0 if missing. */
  readonly lines: readonly [number, number];
  /** Descriptions for both tapes, such as `StartContainer OK` and `StartContainer UNKNOWN`. */
  readonly texts: readonly [string, string];
}

export interface TapeDiff {
  readonly differences: readonly Difference[];
  readonly same: number;
  /** Methods whose median durations (ns) differ by a factor of at least two and by a millisecond. */
  readonly times: readonly { readonly method: string; readonly medians: readonly [number, number] }[];
}

/** Reading calls: their number depends on timing. */
const POLLED =
  /^(Version|Status|RuntimeConfig|ImageFsInfo|List\w+|Stream\w+|GetContainerEvents|\w+Stats|ContainerStatus|PodSandboxStatus|ImageStatus|UpdateRuntimeConfig)$/;

interface Side {
  readonly conversations: ReadonlyMap<string, readonly Step[]>;
  readonly times: ReadonlyMap<string, number[]>;
}

interface Step {
  readonly line: number;
  readonly text: string;
}

/**
 * Compares two tapes by pod and container: changing calls, their order and results. Ignores ids, times and reading
 * calls. Pods are matched by namespace and name, containers by name and attempt.
 */
export async function diffTapes(a: TapeFile, b: TapeFile): Promise<TapeDiff> {
  const [left, right] = [await readSide(a), await readSide(b)];
  const abouts = new Set([...left.conversations.keys(), ...right.conversations.keys()]);
  const differences: Difference[] = [];
  let same = 0;
  for (const about of abouts) {
    const found = compare(about, left.conversations.get(about) ?? [], right.conversations.get(about) ?? []);
    differences.push(...found.differences);
    same += found.same;
  }
  return { differences, same, times: compareTimes(left.times, right.times) };
}

async function readSide(tape: TapeFile): Promise<Side> {
  const conversations = new Map<string, Step[]>();
  const times = new Map<string, number[]>();
  for await (const each of joinCalls(tape.entries)) {
    if (each.kind !== 'finished') continue;
    const { method } = each.call;
    const duration = durationOf(each);
    if (duration !== undefined && method !== 'GetContainerEvents') append(times, method, duration);
    if (POLLED.test(method)) continue;
    append(conversations, aboutOf(each), { line: each.line, text: textOf(each) });
  }
  return { conversations, times };
}

function append<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

function aboutOf({ call }: FinishedCall): string {
  const { pod, container, method } = call;
  if (pod === undefined && container === undefined) return method;
  const inner = container && `${container.name}(${container.attempt ?? 0})`;
  return [pod && `${pod.namespace}/${pod.name}`, inner].filter(Boolean).join(' ');
}

function textOf({ call, end }: FinishedCall): string {
  const { method, message } = call;
  const detail =
    method === 'PullImage'
      ? ` ${(message.json().image as { image?: string } | undefined)?.image ?? ''}`
      : method === 'StopContainer'
        ? ` timeout=${message.json().timeout ?? 0}`
        : '';
  return `${method}${detail} ${end?.code ?? 'no answer'}`;
}

/** Above this number of steps a conversation is compared step by step, without looking for insertions. */
const LONGEST = 2000;

function compare(about: string, left: readonly Step[], right: readonly Step[]) {
  const differences: Difference[] = [];
  let same = 0;
  let [i, j] = [0, 0];
  const pairs = commonSteps(left, right);
  const flush = (untilLeft: number, untilRight: number) => {
    while (i < untilLeft || j < untilRight) {
      const [one, other] = [i < untilLeft ? left[i] : undefined, j < untilRight ? right[j] : undefined];
      differences.push({
        about,
        index: Math.max(i, j) + 1,
        lines: [one?.line ?? 0, other?.line ?? 0],
        texts: [one?.text ?? '', other?.text ?? ''],
      });
      if (one !== undefined) i++;
      if (other !== undefined) j++;
    }
  };
  for (const [inLeft, inRight] of pairs) {
    flush(inLeft, inRight);
    same++;
    i = inLeft + 1;
    j = inRight + 1;
  }
  flush(left.length, right.length);
  return { differences, same };
}

/** Longest common subsequence as pairs of indexes; for long conversations the common beginning and end. */
function commonSteps(left: readonly Step[], right: readonly Step[]): [number, number][] {
  const same = (i: number, j: number) => left[i]?.text === right[j]?.text;
  let start = 0;
  const shorter = Math.min(left.length, right.length);
  while (start < shorter && same(start, start)) start++;
  let end = 0;
  while (end < shorter - start && same(left.length - 1 - end, right.length - 1 - end)) end++;
  const head = Array.from({ length: start }, (_, k): [number, number] => [k, k]);
  const tail = Array.from({ length: end }, (_, k): [number, number] => [
    left.length - end + k,
    right.length - end + k,
  ]);
  const [rows, columns] = [left.length - start - end, right.length - start - end];
  if (rows > LONGEST || columns > LONGEST) return [...head, ...tail];
  const width = columns + 1;
  const lengths = new Uint16Array((rows + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = rows - 1; i >= 0; i--)
    for (let j = columns - 1; j >= 0; j--)
      lengths[i * width + j] = same(start + i, start + j)
        ? at(i + 1, j + 1) + 1
        : Math.max(at(i + 1, j), at(i, j + 1));
  const middle: [number, number][] = [];
  for (let i = 0, j = 0; i < rows && j < columns; ) {
    if (same(start + i, start + j)) middle.push([start + i++, start + j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return [...head, ...middle, ...tail];
}

function compareTimes(left: ReadonlyMap<string, number[]>, right: ReadonlyMap<string, number[]>) {
  return [...left].flatMap(([method, durations]) => {
    const others = right.get(method);
    if (others === undefined) return [];
    const medians: [number, number] = [median(durations), median(others)];
    const [low, high] = [Math.min(...medians), Math.max(...medians)];
    return high >= 2 * low && high - low >= 1e6 ? [{ method, medians }] : [];
  });
}

function median(values: number[]): number {
  values.sort((a, b) => a - b);
  return values[values.length >> 1] ?? 0;
}
