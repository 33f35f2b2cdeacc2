import type { Pod } from '../../kubelet/kubernetes/pod.js';
import { podText } from '../../tape/pod-text.js';
import type { LoadedPod, LoadedScenario } from '../scenario/file/loaded-scenario.js';
import { readPods } from '../scenario/file/pods.js';
import type { Creations } from './axis.js';
import { type Behaviors, guessBehaviors } from './guess/behaviors.js';
import { guessDeletions } from './guess/deletions.js';
import { presentImagesOf, rootImagesOf, withoutAssumedUser } from './guess/images.js';
import type { Observation } from './observation.js';
import { LONGEST_RUN, laterBy } from './window.js';

export interface Base {
  readonly scenario: LoadedScenario;
  readonly guesses: readonly string[];
}

/** Creation time of each pod of a scenario, in seconds. */
export function creationsOf(scenario: LoadedScenario): Creations {
  const creations = new Map<string, number>();
  for (const { pod, at } of entriesOf(scenario))
    for (const { metadata } of readPods(scenario, pod)) creations.set(podText(metadata), at / 1000);
  return creations;
}

const entriesOf = ({ pods, timeline }: LoadedScenario): { pod: LoadedPod; at: number }[] => [
  ...pods.map((pod) => ({ pod, at: 0 })),
  ...timeline.flatMap(({ at, do: { addPod } }) => (addPod === undefined ? [] : [{ pod: addPod, at }])),
];

/** Extra time in seconds, for what happens slightly later in a run than observed. */
const MARGIN = 5;
/** Extra time for what could happen at any time of a run: after three minutes the kubelet calls the PLEG unhealthy. */
const ANY_TIME = 300;
/** Run lengths are multiples of this (seconds), so that a missing last row does not change the question. */
const STEP = 10;
/** Shortest run, in seconds. */
const LEAST = 20;

/**
 * Starting points: the scenario itself, with pods deleted when they were seen terminating; and, if it does not define
 * the containers' behavior, the same with the observed behavior. The likelier one comes first.
 */
export function basesOf(given: LoadedScenario, seen: Observation): Base[] {
  const seenUntil = Math.max(LEAST, seen.end + (seen.isPlaced ? MARGIN : ANY_TIME));
  const end = Math.min(LONGEST_RUN, seenUntil + laterBy(seen));
  const presentImages = [...new Set([...given.presentImages, ...presentImagesOf(seen)])];
  const pods = given.pods.map((pod) => withoutAssumedUser(pod, seen));
  const all = pods.flatMap((pod) => readPods(given, pod));
  const rootImages = [...new Set([...given.rootImages, ...rootImagesOf(all, seen)])];
  const plain = {
    ...given,
    pods,
    presentImages,
    rootImages,
    variants: [],
    until: Math.ceil(end / STEP) * STEP * 1000,
  };
  const deletions = guessDeletions(plain, seen);
  const scenario = { ...plain, timeline: [...plain.timeline, ...deletions.steps] };
  const behaviors = scenario.pods.map((pod) => behaviorsOf(scenario, pod, seen));
  const guesses = behaviors.flatMap((each) => each.flatMap(({ guesses }) => guesses));
  const asGiven = { scenario, guesses: deletions.guesses };
  if (guesses.length === 0) return [asGiven];
  const guessed = scenario.pods.map((pod, index) => withBehaviors(pod, behaviors[index] ?? []));
  return [{ scenario: { ...scenario, pods: guessed }, guesses: [...guesses, ...deletions.guesses] }, asGiven];
}

function behaviorsOf(scenario: LoadedScenario, entry: LoadedPod, seen: Observation): Behaviors[] {
  const given = scenario.isMade ? { ...entry, behaviors: {} } : entry;
  return readPods(scenario, given).map((pod: Pod) => guessBehaviors(pod, given.behaviors, seen));
}

const withBehaviors = (pod: LoadedPod, guessed: readonly Behaviors[]): LoadedPod => ({
  ...pod,
  behaviors: { ...pod.behaviors, ...Object.assign({}, ...guessed.map(({ behaviors }) => behaviors)) },
});
