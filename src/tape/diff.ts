import { align } from '../base/input/align.js';
import { append } from '../base/input/group-by.js';
import { durationOf, type FinishedCall, joinCalls } from './calls.js';
import { subjectText } from './pod-text.js';
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
    append(conversations, subjectText(each.call) || method, { line: each.line, text: textOf(each) });
  }
  return { conversations, times };
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

function compare(about: string, left: readonly Step[], right: readonly Step[]) {
  const differences: Difference[] = [];
  let same = 0;
  /** Number of a step, by side: those of the two tapes in one place are one difference. */
  const counts: [number, number] = [0, 0];
  let apart: [Step[], Step[]] = [[], []];
  const flush = () => {
    for (let index = 0; index < Math.max(apart[0].length, apart[1].length); index++) {
      const [one, other] = [apart[0][index], apart[1][index]];
      differences.push({
        about,
        index: Math.max(...counts) + 1,
        lines: [one?.line ?? 0, other?.line ?? 0],
        texts: [one?.text ?? '', other?.text ?? ''],
      });
      if (one !== undefined) counts[0]++;
      if (other !== undefined) counts[1]++;
    }
    apart = [[], []];
  };
  for (const { found } of align([left, right], ({ text }) => text)) {
    const [one, other] = found;
    if (one === undefined && other !== undefined) apart[1].push(other);
    else if (other === undefined && one !== undefined) apart[0].push(one);
    else {
      flush();
      same++;
      counts[0]++;
      counts[1]++;
    }
  }
  flush();
  return { differences, same };
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
