import type { SimulatedEvent } from '../../scenario/run/run.js';
import { isVague } from '../axis.js';
import { middle } from '../facts.js';
import type { Observation, PlacedEvent } from '../observation.js';
import { textMatch, wordsKey } from './text-match.js';
import { tolerance } from './tolerance.js';

export interface EventsMatch {
  readonly score: number;
  readonly weight: number;
  readonly deviation: number;
  readonly unexplained: readonly PlacedEvent[];
  readonly surplus: readonly string[];
}

const ELSEWHERE = new Set([
  'Scheduled',
  'FailedScheduling',
  'SuccessfulCreate',
  'SuccessfulDelete',
  'ScalingReplicaSet',
  'Preempted',
  'SuccessfulAttachVolume',
  'FailedAttachVolume',
  'SuccessfulMountVolume',
  'TriggeredScaleUp',
  'NotTriggerScaleUp',
  'FailedMount',
  'RegisteredNode',
  'RemovingNode',
  'DeletingAllPods',
  'NodeAllocatableEnforced',
  'Starting',
  'NodeHasSufficientMemory',
  'NodeHasNoDiskPressure',
  'NodeHasSufficientPID',
  'NodeReady',
  'NodeNotReady',
  'TaintManagerEviction',
  'DNSConfigForming',
  'ImageGCFailed',
  'FreeDiskSpaceFailed',
  'InvalidDiskCapacity',
]);

/** Whether the kubelet sends it, so that it can be compared with a run's events. */
export const isOfKubelet = ({
  reason,
  source = 'kubelet',
}: Pick<PlacedEvent, 'reason' | 'source'>): boolean => source === 'kubelet' && !ELSEWHERE.has(reason);

interface Group {
  readonly about: string;
  readonly reason: string;
  readonly type: string;
  count: number;
  first: number | undefined;
  last: number | undefined;
  readonly times: number[];
  readonly messages: Set<string>;
  readonly sample: PlacedEvent | undefined;
}

/** Compares events by pod, reason and, for warnings, message: presence, number, times and words. */
export function matchEvents(
  { events: seen, begin, isExcerpt }: Pick<Observation, 'events' | 'begin' | 'isExcerpt'>,
  events: readonly SimulatedEvent[],
  end: number,
): EventsMatch {
  const compared = seen.filter(isOfKubelet);
  const mine = seenGroups(compared, seen);
  const pods = new Set(compared.map(({ pod }) => pod));
  const until = end + tolerance(end);
  const theirs = runGroups(
    events.filter(
      (each) =>
        each.t >= begin - tolerance(begin) && each.t <= until && pods.has(each.pod) && isOfKubelet(each),
    ),
  );
  const pairs = paired(mine, theirs);
  const reasons = new Set(mine.map(({ about }) => about));
  let sum = 0;
  let weight = 0;
  let deviation = Number.POSITIVE_INFINITY;
  const unexplained: PlacedEvent[] = [];
  const surplus = new Set<string>();
  for (const group of mine) {
    const importance = group.type === 'Warning' ? 2 : 1;
    const score = scoreOf(group, pairs.get(group));
    sum += importance * score;
    weight += importance;
    if (score > AGREES) continue;
    deviation = Math.min(deviation, group.first ?? deviation);
    if (group.sample !== undefined) unexplained.push(group.sample);
  }
  const used = new Set(pairs.values());
  for (const group of theirs) {
    if (isExcerpt || used.has(group) || isImplied(group, reasons)) continue;
    // Events expire and lists are truncated: a missing one means less than a present one.
    weight += group.type === 'Warning' ? 1 : 0.3;
    if (group.type === 'Warning' && !reasons.has(group.about)) surplus.add(group.reason);
    deviation = Math.min(deviation, group.first ?? deviation);
  }
  return {
    score: weight === 0 ? 1 : sum / weight,
    weight: Math.log2(1 + mine.length),
    deviation,
    unexplained,
    surplus: [...surplus],
  };
}

/** Order of events of a container: a later one implies the earlier ones. */
const BEFORE = ['Pulling', 'Pulled', 'Created', 'Started', 'BackOff', 'Killing'];

/** Whether other observed events imply this one: a list without it was truncated. */
const isImplied = ({ about, reason }: Group, seen: ReadonlySet<string>): boolean =>
  BEFORE.includes(reason) &&
  BEFORE.slice(BEFORE.indexOf(reason) + 1).some((later) => seen.has(about.replace(/\S+$/, later))) &&
  !seen.has(about);

/** Events whose times, number and words match less than this count as unexplained. */
const AGREES = 0.7;

function paired(mine: readonly Group[], theirs: readonly Group[]): Map<Group, Group> {
  const candidates = mine.flatMap((seen) =>
    theirs
      .filter(({ about }) => about === seen.about)
      .map((shown) => ({ seen, shown, words: wordsMatch(seen, shown) })),
  );
  const pairs = new Map<Group, Group>();
  const used = new Set<Group>();
  for (const { seen, shown } of candidates.sort((a, b) => b.words - a.words)) {
    if (pairs.has(seen) || used.has(shown)) continue;
    pairs.set(seen, shown);
    used.add(shown);
  }
  return pairs;
}

const wordsMatch = (seen: Group, shown: Group): number =>
  HOOK.test(seen.reason)
    ? 1
    : mean(
        [...seen.messages].map((text) =>
          Math.max(0, ...[...shown.messages].map((each) => textMatch(text, each))),
        ),
      );

/** Hooks: older kubelets put the hook's output into the event, newer ones nothing. */
const HOOK = /^Failed(?:PostStart|PreStop)Hook$/;

/** A kubelet that syncs every 10 to 15 s repeats events more or less often; with few events, each one counts. */
const FEW = 5;
const MORE_OR_LESS = 0.1;

/** Similarity of two event counts, from 0 to 1. */
function oftenMatch(a: number, b: number): number {
  const [less, more] = [Math.min(a, b), Math.max(a, b)];
  const slack = less < FEW ? 0 : 1 + MORE_OR_LESS * less;
  return Math.max(0, 1 - Math.log2(Math.max(1, (more - slack) / less)) / 3);
}

/** The message of a warning matters most: other words mean another error. */
function scoreOf(seen: Group, shown: Group | undefined): number {
  if (shown === undefined) return 0;
  const often = oftenMatch(seen.count, countUntil(seen, shown));
  const when = Math.min(close(seen.first, shown.first), closeEnds(seen, shown));
  const words = wordsMatch(seen, shown);
  return seen.type === 'Warning'
    ? (0.4 + 0.6 * words) * (0.45 + 0.3 * often + 0.25 * when)
    : 0.35 + 0.25 * often + 0.2 * when + 0.2 * words;
}

function countUntil({ count, last }: Group, shown: Group): number {
  if (last === undefined || count < FEW) return shown.count;
  const until = last + 2 * tolerance(last);
  return Math.max(1, shown.times.filter((t) => t <= until).length);
}

/**
 * The kubelet stops sending frequent events (client-go EventSourceObjectSpamFilter), so if events end, this proves
 * less.
 */
const SILENCED = 0.7;

function closeEnds(seen: Group, shown: Group): number {
  const match = close(seen.last, shown.last);
  const goesOn = seen.count >= FEW && (shown.last ?? 0) > (seen.last ?? 0);
  return goesOn ? Math.max(SILENCED, match) : match;
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 1 : values.reduce((sum, each) => sum + each, 0) / values.length;

function close(a: number | undefined, b: number | undefined): number {
  if (a === undefined || b === undefined) return 1;
  const gap = Math.abs(a - b);
  const slack = 2 * tolerance(Math.max(a, b));
  return gap <= slack ? 1 : Math.max(0, 1 - (gap - slack) / (6 * slack));
}

const MOST_MESSAGES = 6;

/** Each run is compared with the same, possibly many, events. */
const grouped = new WeakMap<readonly PlacedEvent[], readonly Group[]>();

function seenGroups(compared: readonly PlacedEvent[], seen: readonly PlacedEvent[]): readonly Group[] {
  const known = grouped.get(seen) ?? groupsOf(compared);
  grouped.set(seen, known);
  return known;
}

function groupsOf(events: readonly PlacedEvent[]): Group[] {
  const groups = new Map<string, Group>();
  for (const event of events) add(groups, event, event.count, timeOf(event.first), timeOf(event.time), event);
  return [...groups.values()];
}

/** Unknown for an age in hours or days. */
const timeOf = (span: PlacedEvent['time']): number | undefined =>
  span === undefined || isVague(span) ? undefined : middle(span);

function runGroups(events: readonly SimulatedEvent[]): Group[] {
  const groups = new Map<string, Group>();
  for (const event of events) add(groups, event, 1, event.t, event.t, undefined);
  return [...groups.values()];
}

/** Texts that say the same, replaced by one. */
const SAME: readonly (readonly [RegExp, string])[] = [
  // CRI-O ends a call that waits for a reserved name at the kubelet's deadline: which of the two texts arrives is chance
  // (resourcestore.go, container_create.go).
  [
    /Kubelet may be retrying requests that are timing out in CRI-O.*: (context deadline exceeded): error reserving .*$/,
    '$1',
  ],
  // containerd 1.7 had neither this hint nor this code.
  [/; check if another CreateContainer request is in progress(?=: )/, ''],
  [/code = (?:Unknown|FailedPrecondition) (?=desc = failed to reserve )/, ''],
];

const inOneWay = (text: string): string =>
  SAME.reduce((result, [way, one]) => result.replace(way, one), text);

function add(
  groups: Map<string, Group>,
  { pod, reason, type, message: text }: Pick<PlacedEvent, 'pod' | 'reason' | 'type' | 'message'>,
  count: number,
  first: number | undefined,
  last: number | undefined,
  sample: PlacedEvent | undefined,
): void {
  const about = `${pod} ${reason}`;
  const message = inOneWay(text);
  const key = type === 'Warning' ? `${about} ${wordsKey(message)}` : about;
  const group = groups.get(key) ?? {
    about,
    reason,
    type,
    count: 0,
    first,
    last,
    times: [],
    messages: new Set<string>(),
    sample,
  };
  group.count += count;
  if (sample === undefined && last !== undefined) group.times.push(last);
  if (first !== undefined) group.first = Math.min(group.first ?? first, first);
  if (last !== undefined) group.last = Math.max(group.last ?? last, last);
  if (group.messages.size < MOST_MESSAGES) group.messages.add(message);
  groups.set(key, group);
}
