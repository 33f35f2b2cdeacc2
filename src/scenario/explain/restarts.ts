import { formatDuration } from '../../input/duration.js';
import type { SimulatedBackOff, SimulatedLife, Simulation } from '../run-recorder.js';
import type { Finding } from './finding.js';

/** Why every restart of a container came when it did. */
export function explainRestarts(run: Simulation): Finding[] {
  const names = new Set(run.lives.map(({ pod, container }) => `${pod}/${container}`));
  return [...names].flatMap((name) => {
    const isOurs = (each: { readonly pod: string; readonly container: string }) =>
      `${each.pod}/${each.container}` === name;
    const lives = run.lives.filter(isOurs);
    const backOffs = run.backOffs.filter(isOurs);
    return lives.flatMap((life, index) => {
      const ended = lives.slice(0, index).findLast(({ what }) => what === 'ended');
      if (life.what !== 'started' || ended === undefined) return [];
      const decisions = backOffs.filter(({ t }) => t >= ended.t && t <= life.t);
      return [{ t: life.t, text: explainRestart(name, ended, life, decisions, killedFor(run, ended, name)) }];
    });
  });
}

/** The kubelet's own words when it was the one who ended the container. */
function killedFor({ events }: Simulation, ended: SimulatedLife, name: string): string | undefined {
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
  ended: SimulatedLife,
  started: SimulatedLife,
  decisions: readonly SimulatedBackOff[],
  killed: string | undefined,
): string {
  const end = `ended ${endText(ended)}${killed === undefined ? '' : `, because the kubelet stopped it ("${killed}")`}`;
  const gap = seconds(started.t - ended.t);
  return `${name} started again (restart ${started.attempt}), ${gap} after it ${end}. ${reasonFor(ended, started, decisions, killed)}`;
}

const endText = ({ exitCode, reason }: SimulatedLife): string =>
  reason === undefined ? `with exit code ${exitCode}` : `with exit code ${exitCode} (${reason})`;

function reasonFor(
  ended: SimulatedLife,
  started: SimulatedLife,
  decisions: readonly SimulatedBackOff[],
  killed: string | undefined,
): string {
  const waits = decisions.filter(({ waits: waiting }) => waiting);
  const last = decisions.at(-1);
  if (last === undefined) return 'The back-off was not asked: the container had been created before.';
  if (waits.length > 0) {
    const { delay } = waits.at(-1) as SimulatedBackOff;
    const late = started.t - ended.t - delay;
    const looks = waits.length === 1 ? 'looked once' : `looked ${waits.length} times`;
    return `It had to wait out a back-off of ${seconds(delay)} from its end; the kubelet ${looks} too early, and the look that found it over came ${seconds(Math.max(0, late))} after that.`;
  }
  if (last.endedAgo === undefined) {
    const why =
      killed === undefined
        ? 'no dead instance of it was known'
        : 'in the status from before the kill no instance of it was dead yet';
    return `At once: ${why}, so there was nothing to back off from.`;
  }
  if (last.delay === 0) return 'At once: it had no back-off yet. The first restart never waits.';
  const which =
    killed === undefined
      ? `its end was ${seconds(last.endedAgo)} ago`
      : `what counts is the status from before the kill, in which the instance before it had ended ${seconds(last.endedAgo)} ago`;
  return `At once: the back-off was ${seconds(last.delay)}, and ${which}.`;
}

const seconds = (value: number): string => formatDuration(Math.round(value * 10) * 100);
