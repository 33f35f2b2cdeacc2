import { formatDuration } from '../../../base/input/duration.js';
import type { Moment } from '../points/points.js';
import type { Perturbation, UnnamedRule } from './perturbation.js';

/**
 * Downtimes of the runtime in ms: less than a relist period; a few relists; less than the 30 s without a status after
 * which it counts as down; as long as that; and more than three minutes without a relist.
 */
const RESTARTS = {
  keep: [100, 400, 5000, 24_000, 30_000, 240_000],
  lose: [100, 1000, 30_000, 240_000],
} as const;

export function perturbMoment({ at: exact, running }: Moment): Perturbation[] {
  // Scenarios use whole milliseconds.
  const at = Math.ceil(exact);
  return [
    ...RESTARTS.keep.map((down) => restart(at, down, 'keep')),
    ...RESTARTS.lose.map((down) => restart(at, down, 'lose')),
    kubelet(at, 'kubelet restarted', [{ at, kubelet: 'restart' }]),
    kubelet(at, 'kubelet down for 20s', [
      { at, kubelet: 'kill' },
      { at: at + 20_000, kubelet: 'start' },
    ]),
    condition(at, 'RuntimeReady', 30_000),
    condition(at, 'NetworkReady', 30_000),
    skew(at, '1h'),
    skew(at, '-1h'),
    hang(at, 40_000),
    hang(at, 250_000),
    hang(at, undefined),
    slowLists(at, 85_000),
    slowLists(at, 100_000),
    ...running.flatMap(({ pod, container }) => [exit(at, pod, container, 1), exit(at, pod, container, 0)]),
  ];
}

/** runtimeRequestTimeout, in ms. */
const TIMEOUT = 120_000;

const when = (at: number) => (at > 0 ? { during: { from: formatDuration(at) } } : {});

function onTime(
  at: number,
  name: string,
  family: string,
  then: UnnamedRule['then'],
  lasts: number,
  match: { pod?: string; container?: string } = {},
): Perturbation {
  const about = match.container === undefined ? '' : ` ${match.pod}/${match.container}`;
  return {
    id: `${name}${about} @ ${at}ms`,
    kind: name,
    family,
    text: `${name}${about}, at ${formatDuration(at)}`,
    pod: match.pod ?? '',
    at,
    until: at + lasts,
    rules: [
      {
        ...(match.pod !== undefined && {
          match: { pod: { name: match.pod }, container: { name: match.container } },
        }),
        on: 'time',
        when: when(at),
        then,
      },
    ],
    steps: [],
  };
}

const restart = (at: number, down: number, state: 'keep' | 'lose') => {
  const downFor = formatDuration(down);
  const name = `runtime restarted for ${downFor}, state ${state === 'keep' ? 'kept' : 'lost'}`;
  return onTime(at, name, 'restart', { restart: { downFor, state } }, down);
};

const condition = (at: number, type: 'RuntimeReady' | 'NetworkReady', lasts: number) => {
  const name = `${type}=false for ${formatDuration(lasts)}`;
  return onTime(at, name, 'condition', { condition: { type, for: formatDuration(lasts) } }, lasts);
};

const skew = (at: number, by: string) =>
  onTime(at, `clock skewed by ${by} for 1m`, 'clock', { clockSkew: { by, for: '60s' } }, 60_000);

const exit = (at: number, pod: string, container: string, code: number) =>
  onTime(at, `exit ${code}`, 'exit', { exit: { code } }, 0, { pod, container });

/** All lists hang, for a time in ms or permanently: the PLEG is unhealthy after three minutes without a list. */
function hang(at: number, lasts: number | undefined): Perturbation {
  const time = lasts === undefined ? {} : { for: formatDuration(lasts) };
  const name = lasts === undefined ? 'lists hang from then on' : `lists hang for ${formatDuration(lasts)}`;
  // A list that begins at the end of this time hangs as long again, at most until its timeout.
  const over = lasts === undefined ? 0 : lasts + Math.min(lasts, TIMEOUT);
  return {
    ...onTime(at, name, 'hang', { delay: '0s' }, over),
    rules: [
      {
        match: { method: '@list' },
        when: { during: { ...when(at).during, ...time } },
        then: { hang: time },
      },
    ],
  };
}

/**
 * Duration of each of a relist's two lists, in ms. The PLEG is unhealthy after three minutes without a successful
 * relist.
 */
function slowLists(at: number, takes: number): Perturbation {
  const time = formatDuration(2 * takes);
  const then = { delay: `${takes / 1000}s` };
  return {
    ...onTime(at, `lists take ${then.delay} once`, 'delay', then, 3 * takes),
    rules: [{ match: { method: '@list' }, when: { during: { ...when(at).during, for: time } }, then }],
  };
}

function kubelet(at: number, name: string, steps: Perturbation['steps']): Perturbation {
  return {
    id: `${name} @ ${at}ms`,
    kind: name,
    family: 'kubelet',
    text: `${name}, at ${formatDuration(at)}`,
    pod: '',
    at,
    until: Math.max(...steps.map((step) => step.at)),
    rules: [],
    steps,
  };
}
