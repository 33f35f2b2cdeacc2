import { z } from 'zod';
import { counted, timesOf } from '../../base/input/counted.js';
import { profileNames } from '../deviations/index.js';

const kind = z.object({
  rule: z.string(),
  message: z.string(),
  count: z.number(),
  /** The calls of one pod that show it, one line for each step, with concurrent calls. The pod's removal follows. */
  steps: z.array(z.string()),
  calls: z.number(),
  /** Whether it occurred again when the calls were repeated. */
  again: z.boolean(),
  /** Whether no further call can be left out. */
  isShortest: z.boolean(),
  /** Whether it also occurs without the load. */
  alone: z.boolean(),
});

/** A report of `conformance --load`, as `--output json` prints it. */
export const loadReportSchema = z.object({
  format: z.literal('mockri-load/1'),
  endpoint: z.string(),
  profile: z.enum(profileNames),
  runtime: z.object({ name: z.string(), version: z.string() }),
  image: z.string(),
  seed: z.number(),
  clients: z.number(),
  /** Pods at a time: requested and actual. */
  pods: z.number(),
  filled: z.number(),
  /** Seconds under load, requested and actual, and of the whole run. */
  wanted: z.number(),
  loaded: z.number(),
  seconds: z.number(),
  /** Calls, removed pods, and those of them that are not judged: a call had no reply. */
  calls: z.number(),
  done: z.number(),
  unjudged: z.number(),
  events: z.boolean(),
  kinds: z.array(kind),
  known: z.array(z.object({ rule: z.string(), why: z.string(), link: z.string(), count: z.number() })),
  /** Objects that the runtime still shows after the removal of all pods, and those that could not be removed. */
  left: z.array(z.string()),
  interrupted: z.boolean(),
  /** Why the run gives no result about the runtime: it stopped responding. */
  incomplete: z.string().optional(),
});

export type LoadReport = z.output<typeof loadReportSchema>;

/** 0: no rule is broken. 1: a rule is broken, or objects remain. 2: the run could not complete. */
export function exitCodeOfLoad({ kinds, left, interrupted, incomplete }: LoadReport): 0 | 1 | 2 {
  if (incomplete !== undefined || interrupted) return 2;
  return kinds.length > 0 || left.length > 0 ? 1 : 0;
}

export function* showLoad(report: LoadReport): Generator<string> {
  const { kinds, known, left, events } = report;
  for (const [index, one] of kinds.entries()) yield* showKind(index + 1, one);
  for (const { rule, why, link, count } of known)
    yield `~ ${rule}: known deviation, ${timesOf(count)}: ${why} (${link})`;
  for (const thing of left) yield `left over: ${thing}`;
  if (!events) yield '- events were not judged: GetContainerEvents gives none';
  yield summary(report);
}

function* showKind(number: number, one: LoadReport['kinds'][number]): Generator<string> {
  const { rule, message, count, steps, again, isShortest, alone } = one;
  yield `${number}) ${rule} (${counted(count, 'pod')})`;
  yield `     ${message}`;
  for (const step of steps) yield `   | ${step}`;
  if (steps.length === 0) return;
  yield '   | and the removal of the pod';
  if (!again) yield '     did not show again when these calls were repeated under load';
  else
    yield `     shows ${alone ? 'without load, too' : 'under load only'}${isShortest ? '' : '; the time was too short to leave out more calls'}`;
}

function summary(report: LoadReport): string {
  const { kinds, done, unjudged, calls, loaded, wanted, clients, pods, filled, seed } = report;
  const rules = kinds.length === 0 ? 'no rule broken' : `${counted(kinds.length, 'rule')} broken`;
  const time =
    Math.round(loaded) === Math.round(wanted) ? `${wanted} s` : `${loaded.toFixed(0)} of ${wanted} s`;
  const there = filled === pods ? `${pods}` : `${filled} of ${pods}`;
  const not = unjudged === 0 ? '' : `, ${unjudged} of them not judged`;
  return `${rules}: ${counted(calls, 'call')} to ${counted(done, 'pod')}${not} by ${clients} clients, ${there} at a time, ${time}, seed ${seed}`;
}
