import { BEHAVIOR_ANNOTATION } from '../../../../adapters/memory/containers/choose-behavior.js';
import { probeParts } from '../../../../adapters/memory/guess/probes.js';
import { crashLoopLimits } from '../../../kubelet/backoff/crash-loop.js';
import type { Pod } from '../../../kubelet/kubernetes/pod.js';
import { podText } from '../../../tape/pod-text.js';
import { statesByPod } from '../distance/seen-states.js';
import type { SeenState } from '../distance/timeline.js';
import { greatest } from '../extremes.js';
import { middle } from '../facts.js';
import type { Observation, PlacedEnd } from '../observation.js';
import { guessHook } from './hooks.js';

export interface Behaviors {
  readonly behaviors: Readonly<Record<string, string>>;
  readonly guesses: readonly string[];
}

const ENDED = ['Error', 'OOMKilled', 'Completed', 'CrashLoopBackOff'];

type Container = Pod['spec']['containers'][number];

export function guessBehaviors(
  { metadata, spec }: Pod,
  given: Readonly<Record<string, string>>,
  seen: Observation,
): Behaviors {
  const pod = podText(metadata);
  const behaviors: Record<string, string> = {};
  const guesses: string[] = [];
  const isGiven = ({ name }: Container) =>
    given[name] !== undefined || metadata.annotations[`${BEHAVIOR_ANNOTATION}${name}`] !== undefined;
  const open = spec.containers.filter((container) => !isGiven(container));
  const endsOf = ({ name }: Container) => {
    const isOwn = (other: string) => other === name || (other === '' && spec.containers.length === 1);
    return seen.ends.filter((each) => isOwn(each.container) && (each.pod === pod || each.pod === ''));
  };
  const backsOff = ({ name }: Container) =>
    seen.events.some((each) => each.pod === pod && each.message.includes(`failed container ${name} in pod`));
  // A row does not name the container: assume one that ended or is in back-off, otherwise the first.
  const meant = open.find((each) => endsOf(each).length > 0) ?? open.find(backsOff) ?? open[0];
  for (const container of open) {
    const ends = endsOf(container);
    const states = container === meant && ends.length === 0 ? (statesByPod(seen).get(pod) ?? []) : [];
    const guess = fromEnds(ends) ?? fromStates(states);
    const hook = guessHook(container.name, pod, seen);
    const parts = [
      hook === undefined ? (guess?.text ?? 'run') : 'run',
      ...answers(container, seen),
      ...(hook?.parts ?? []),
    ];
    if (guess === undefined && parts.length === 1 && !isKnownToRun(states)) continue;
    behaviors[container.name] = parts.join(',');
    const does = parts.join(',') === 'run' ? ' runs until it is stopped' : `: ${parts.join(',')}`;
    guesses.push(`container ${pod}/${container.name}${does}${because(hook ?? guess)}`);
  }
  return { behaviors, guesses };
}

const because = (guess: { readonly why: string } | undefined): string =>
  guess === undefined ? '' : `, because ${guess.why}`;

const isKnownToRun = (states: readonly SeenState[]): boolean =>
  states.some(({ status }) => status === 'Running');

interface Guess {
  readonly text: string;
  readonly why: string;
}

function fromEnds(ends: readonly PlacedEnd[]): Guess | undefined {
  const last = ends.at(-1);
  if (last === undefined) return undefined;
  const { exitCode, reason, ran } = last;
  const after = ran === undefined ? '' : `,after=${seconds(ran)}`;
  const long = ran === undefined ? '' : ` after ${seconds(ran)}`;
  const text = reason === 'OOMKilled' ? `oom${after}` : `exit=${exitCode}${after}`;
  return { text, why: `its status says that it ended with ${reason || exitCode}${long}` };
}

/** From rows: how long it ran before its observed end. */
function fromStates(states: readonly SeenState[]): Guess | undefined {
  const lengths = states.flatMap((_, index) => ranBefore(states, index) ?? []);
  const kind = kindOfEnds(states);
  if (kind === undefined) return fromPastRestarts(states);
  const sorted = [...lengths].sort((a, b) => a - b);
  const typical = sorted[Math.floor(sorted.length / 2)] ?? 1;
  const end = kind === 'OOMKilled' ? 'oom' : kind === 'Completed' ? 'exit=0' : 'exit=1';
  const once =
    greatest(states.map(({ restarts }) => restarts)) <= 1 && lengths.length === 1 && !isLoop(states);
  return {
    text: `${end},after=${seconds(typical)}${once ? ';run' : ''}`,
    why: `rows show ${kind}${lengths.length > 0 ? ` ${seconds(typical)} after Running` : ''}`,
  };
}

/** Restarts of the past that are written out. */
const MOST_PAST = 10;
const LIMITS = crashLoopLimits({
  ReduceDefaultCrashLoopBackOffDecay: false,
  KubeletCrashLoopBackOffMax: false,
});

/** From a row of a container that ended several times and has been running since: how long it ran each time. */
function fromPastRestarts([first]: readonly SeenState[]): Guess | undefined {
  if (first?.status !== 'Running' || first.restarted === undefined) return undefined;
  const { restarts, restarted } = first;
  if (restarts < 1 || restarts > MOST_PAST) return undefined;
  // The first restart does not wait.
  let waits = 0;
  for (let restart = 0; restart < restarts - 1; restart++)
    waits += Math.min(LIMITS.max, LIMITS.initial * 2 ** restart) / 1000;
  const ran = Math.max(1, (middle(restarted) - waits) / restarts);
  const end = `exit=1,after=${seconds(ran)};`;
  return { text: `${end.repeat(restarts)}run`, why: `rows show ${restarts} restarts that are over` };
}

/** From rows; a failure if they show several restarts and no end. */
function kindOfEnds(states: readonly SeenState[]): string | undefined {
  const ends = states.map(({ status }) => status).filter((status) => ENDED.includes(status));
  const certain = ends.filter((status) => status !== 'CrashLoopBackOff').at(-1);
  const silent = states.filter((_, index) => isSilentRestart(states, index)).length;
  return certain ?? ends[0] ?? (silent > 1 ? 'restarts' : undefined);
}

/** Whether a container runs again although no row shows its end. */
const isSilentRestart = (states: readonly SeenState[], index: number): boolean => {
  const [before, state] = [states[index - 1], states[index]];
  return before?.status === 'Running' && state?.status === 'Running' && state.restarts > before.restarts;
};

/** Run time in seconds of the instance that had ended when a state was first seen: since its start, ready or not. */
function ranBefore(states: readonly SeenState[], index: number): number | undefined {
  const state = states[index];
  const isEnd = ENDED.includes(state?.status ?? '') || isSilentRestart(states, index);
  let begin: SeenState | undefined;
  for (let at = index - 1; at >= 0; at--) {
    const before = states[at] as SeenState;
    if (before.status !== 'Running' || before.restarts !== states[index - 1]?.restarts) break;
    begin = before;
  }
  if (!isEnd || begin?.first === undefined || state?.first === undefined) return undefined;
  return middle(state.first) - middle(begin.first);
}

const isLoop = (states: readonly SeenState[]): boolean =>
  states.some(({ status }) => status === 'CrashLoopBackOff');

const seconds = (value: number): string => `${Math.max(0.1, Math.round(value * 10) / 10)}s`;

/** Without failed probes the container is healthy. */
function answers(container: Container, { events }: Observation): string[] {
  const fails = (what: string) =>
    events.some(
      ({ reason, message }) =>
        (reason === 'Unhealthy' && message.startsWith(what)) ||
        (reason === 'Killing' &&
          message.includes(`Container ${container.name} failed ${what.toLowerCase()} probe`)),
    );
  return probeParts(container, {
    alive: !fails('Liveness'),
    ready: !fails('Readiness'),
    started: !fails('Startup'),
  });
}
