import { formatDuration } from '../../../base/input/duration.js';
import { clockText } from '../output/clock-text.js';
import type { SimulatedBackOff, SimulatedContainerEvent, Simulation } from '../run/run.js';
import { endText } from './ends.js';
import type { Explanation } from './explanation.js';
import { explainFaults } from './faults.js';

export function explainRestarts(run: Simulation): Explanation[] {
  const names = new Set(run.containerEvents.map(({ pod, container }) => `${pod}/${container}`));
  return [...names].flatMap((name) => {
    const isOurs = (each: { readonly pod: string; readonly container: string }) =>
      `${each.pod}/${each.container}` === name;
    const containerEvents = run.containerEvents.filter(isOurs);
    const backOffs = run.backOffs.filter(isOurs);
    return containerEvents.flatMap((event, index) => {
      if (event.what !== 'started') return [];
      const before = containerEvents.slice(0, index);
      const running = runningOf(before);
      if (running !== undefined && running.attempt < event.attempt)
        return [{ t: event.t, text: explainSecond(name, running, event) }];
      const ended = before.findLast(({ what }) => what === 'ended');
      if (ended === undefined) return [];
      if (ended.attempt >= event.attempt)
        return [{ t: event.t, text: explainFirstStart(name, ended, event, run) }];
      const decisions = backOffs.filter(({ t }) => t >= ended.t && t <= event.t);
      const killed = killedFor(run, ended, name);
      const text = explainRestart(name, endText(ended, containerEvents), ended, event, decisions, killed);
      return [{ t: event.t, text: [text, ...explainFaults(run, ended, event)].join(' ') }];
    });
  });
}

function runningOf(history: readonly SimulatedContainerEvent[]): SimulatedContainerEvent | undefined {
  const newest = history.findLast(({ what }) => what === 'started');
  const hasEnded = history.some(({ what, attempt }) => what === 'ended' && attempt === newest?.attempt);
  return hasEnded ? undefined : newest;
}

const explainSecond = (
  name: string,
  running: SimulatedContainerEvent,
  started: SimulatedContainerEvent,
): string =>
  `${name} started once more (attempt ${started.attempt}) while attempt ${running.attempt} was still running, which the kubelet did not know. RESTARTS counts it, although no container had exited.`;

/** A start after the end of an instance with this attempt or a later one is not a restart of that instance. */
function explainFirstStart(
  name: string,
  ended: SimulatedContainerEvent,
  started: SimulatedContainerEvent,
  { pods }: Simulation,
): string {
  const gap = clockText(started.t - ended.t);
  const isNewPod = pods.some(({ pod, t }) => pod === ended.pod && t <= started.t && t >= ended.t);
  if (isNewPod)
    return `${name} started in a new pod of this name, ${gap} after it had exited in the previous pod: its attempts count from 0 again.`;
  return `${name} started (attempt ${started.attempt}) ${gap} after attempt ${ended.attempt} had exited: the runtime started it late, or the kubelet counted from ${started.attempt} again.`;
}

function killedFor({ events }: Simulation, ended: SimulatedContainerEvent, name: string): string | undefined {
  const [pod, container] = name.split('/');
  const last = events.findLast(
    (event) =>
      event.pod === pod &&
      event.t <= ended.t &&
      event.field.endsWith(`{${container}}`) &&
      /^(Killing|Started)$/.test(event.reason),
  );
  return last?.reason === 'Killing' ? last.message : undefined;
}

function explainRestart(
  name: string,
  how: string,
  ended: SimulatedContainerEvent,
  started: SimulatedContainerEvent,
  decisions: readonly SimulatedBackOff[],
  killed: string | undefined,
): string {
  const end = `exited ${how}${killed === undefined ? '' : `, because the kubelet stopped it ("${killed}")`}`;
  const gap = clockText(started.t - ended.t);
  return `${name} restarted (restart ${started.attempt}) ${gap} after it ${end}. ${reasonFor(ended, started, decisions, killed)}`;
}

function reasonFor(
  ended: SimulatedContainerEvent,
  started: SimulatedContainerEvent,
  decisions: readonly SimulatedBackOff[],
  killed: string | undefined,
): string {
  const waits = decisions.filter(({ waits: waiting }) => waiting);
  const last = decisions.at(-1);
  if (last === undefined) {
    const first = started.attempt === 1 ? ' The first restart never waits.' : '';
    return `No back-off decision was recorded for this restart.${first}`;
  }
  if (waits.length > 0) {
    const { delay } = waits.at(-1) as SimulatedBackOff;
    const late = started.t - ended.t - delay;
    const syncs = ['once', 'twice'][waits.length - 1] ?? `${waits.length} times`;
    return `It was in a ${formatDuration(delay * 1000)} back-off, counted from its exit: the kubelet synced the pod ${syncs} during the back-off, and restarted the container ${clockText(Math.max(0, late))} after it expired.`;
  }
  if (last.endedAgo === undefined) {
    const why =
      killed === undefined
        ? 'the kubelet knew of no exited instance'
        : 'the status from before the kill has no exited instance yet';
    return `There was no back-off: ${why}.`;
  }
  if (last.delay === 0) return 'There was no back-off yet: the first restart never waits.';
  const which =
    killed === undefined
      ? `it had exited ${clockText(last.endedAgo)} before`
      : `by the status from before the kill, which the kubelet uses, the previous instance had exited ${clockText(last.endedAgo)} before`;
  return `Its ${formatDuration(last.delay * 1000)} back-off had expired: ${which}.`;
}
