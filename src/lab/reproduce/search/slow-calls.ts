import { formatDuration, parseDuration } from '../../../base/input/duration.js';
import { madeSlowly } from '../../explore/catalog/delays.js';
import type { Perturbation } from '../../explore/catalog/perturbation.js';
import { least } from '../extremes.js';
import type { Observation } from '../observation.js';
import { matchOf, nameOf, perturbationOf, RETRY, type SeenFailure, since } from './seen-failure.js';

/** Kubelet timeouts of creating calls in seconds: the default of runtimeRequestTimeout, and twice that. */
const TIMEOUTS: Readonly<Record<string, number>> = { CreateContainer: 120, RunPodSandbox: 240 };
const HELD = /\breserve|\breserved\b/;

/** Names reserved by calls that the runtime continues after a timeout. `told`: errors that another fault caused. */
export function slowCreates(told: readonly SeenFailure[], seen: Observation): Perturbation[] {
  return told.flatMap((held) => {
    const { method, pod } = held;
    const timeout = TIMEOUTS[method];
    if (timeout === undefined || held.last < timeout || !HELD.test(held.error.message)) return [];
    const same = told.filter((each) => each.method === method && each.pod === pod);
    const first = least(same.map((each) => each.first));
    const from = Math.max(0, Math.floor(first) - timeout - RETRY);
    const takes = (heldUntil(held, seen) - from) * 1000;
    const { name, says, rule } = madeSlowly(takes);
    return [
      perturbationOf(pod, from * 1000, from * 1000 + takes, {
        kind: `${name} ${method}`,
        text: `${method} of ${nameOf(pod)} ${says}`,
        rules: [{ match: matchOf(held), when: { ...since(from * 1000), times: 1 }, ...rule }],
      }),
    ];
  });
}

/**
 * Names reserved after a failure that came before the kubelet's timeout: the reply to the call that made the container
 * was lost, and lists don't show the container, so the kubelet asks for the same name again. `told`: all failures.
 */
export function lostReplies(told: readonly SeenFailure[], seen: Observation): Perturbation[] {
  const method = 'CreateContainer';
  return told.flatMap((held) => {
    if (held.method !== method || !HELD.test(held.error.message)) return [];
    const lost = told.find(
      (each) => each.method === method && each.pod === held.pod && !HELD.test(each.error.message),
    );
    if (lost === undefined || lost.first > held.first || lost.first >= (TIMEOUTS[method] ?? 0)) return [];
    const from = Math.floor(lost.first) * 1000;
    const until = heldUntil(held, seen) * 1000;
    const span = formatDuration(until - from);
    return [
      perturbationOf(held.pod, from, until, {
        kind: `reply lost ${method}`,
        text: `the reply to ${method} of ${nameOf(held.pod)} is lost, and ListContainers returns an empty list for ${span}`,
        rules: [
          {
            match: matchOf(lost),
            when: { ...since(from), times: 1 },
            then: { error: { ...lost.error, effect: 'after' } },
          },
          {
            match: { method: 'ListContainers' },
            when: since(from, { for: span }),
            then: { reply: { empty: true } },
          },
        ],
      }),
    ];
  });
}

/** When the name became free, in seconds: between the last error and the next event, or after everything observed. */
function heldUntil({ pod, last }: SeenFailure, { rows, events, end }: Observation): number {
  const later = [
    ...events.filter((each) => each.pod === pod).map(({ first }) => first?.from ?? 0),
    ...rows
      .filter((each) => each.pod === pod && each.status === 'Running')
      .map(({ time }) => time?.from ?? 0),
  ].filter((time) => time > last);
  return later.length === 0 ? Math.ceil(end) + 60 : Math.ceil((last + least(later)) / 2);
}

const PULLED = /^Successfully pulled image "([^"*?]+)" in ([\dhms.µn]+)/;
/** In ms: faster pulls need no explanation. */
const SLOW_PULL = 20_000;

export const slowPulls = ({ events }: Observation): Perturbation[] =>
  events.flatMap(({ pod, reason, message, time }) => {
    const [, image, text = ''] = (reason === 'Pulled' && PULLED.exec(message)) || [];
    const takes = parseDuration(text) ?? 0;
    if (image === undefined || takes < SLOW_PULL) return [];
    const delay = formatDuration(Math.round(takes / 1000) * 1000);
    const until = (time?.to ?? 0) * 1000;
    return [
      perturbationOf(pod, Math.max(0, until - takes), until, {
        kind: `delay ${delay} PullImage`,
        text: `the pull of "${image}" takes ${delay}`,
        rules: [{ match: matchOf({ method: 'PullImage', pod, image }), when: { times: 1 }, then: { delay } }],
      }),
    ];
  });
