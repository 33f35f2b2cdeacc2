import { packageVersion } from '../../../base/input/package-version.js';
import type { Header, Line } from '../../../tape/entries.js';
import { TAPE_VERSION } from '../../../tape/line-writer.js';
import type { Span } from '../facts.js';
import type { Observation, PlacedEnd, PlacedEvent } from '../observation.js';

const START = 0;
const SECOND = 1e9;

/** Text of a tape with the observation, without calls, so that the page can show it like a run on the same axis. */
export function seenTape(seen: Observation): string {
  const header: Header = {
    t: 0,
    kind: 'header',
    version: TAPE_VERSION,
    startedAt: String(START),
    clock: 'real',
    recorder: `mockri ${packageVersion()}`,
    redacted: [],
    lacks: ['calls'],
  };
  const lines = linesOf(seen).sort((a, b) => a.t - b.t);
  return [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('');
}

function linesOf({ rows, events, nodes, log, ends }: Observation): Line[] {
  return [
    ...inOrder(rows).map(({ t, each: { pod, ready, status, restarts } }) => ({
      ...{ t, kind: 'row' as const, pod: podOf(pod) },
      ...{ ready, status, restarts },
    })),
    ...events.flatMap(eventLines),
    ...inOrder(nodes).map(({ t, each: { isReady, message = '' } }) => ({
      ...{ t, kind: 'node' as const, ready: isReady ? ('True' as const) : ('False' as const) },
      ...{ reason: '', text: message, evicting: false },
    })),
    ...log.flatMap(({ time, kind }) =>
      time === undefined ? [] : [{ t: at(time), kind: 'log' as const, from: 'kubelet' as const, text: kind }],
    ),
    ...ends.flatMap(endLines),
  ];
}

const at = ({ from, to }: Span): number => Math.max(0, Math.round(((from + to) / 2) * SECOND));

/** Orders by time; items without a time follow their predecessor. */
function inOrder<T extends { readonly time: Span | undefined }>(
  list: readonly T[],
): { t: number; each: T }[] {
  let t = 0;
  return list.map((each) => {
    if (each.time !== undefined) t = Math.max(t, at(each.time));
    return { t, each };
  });
}

/** `blue/web`, or `web` in namespace `default`. */
function podOf(pod: string): { readonly name: string; readonly namespace: string } {
  const [namespace, name] = pod.includes('/') ? pod.split('/') : ['default', pod];
  return { name: name ?? pod, namespace: namespace ?? 'default' };
}

function eventLines({ pod, type, reason, message, count, first, time }: PlacedEvent): Line[] {
  if (pod === '') return [];
  const text = count > 1 ? `${message} (${count} times)` : message;
  const times = [...new Set([first, time].flatMap((span) => (span === undefined ? [] : [at(span)])))];
  return times.map((t) => ({ t, kind: 'event', pod: podOf(pod), field: '', type, reason, text }));
}

function endLines({ pod, container, exitCode, reason, ran, time }: PlacedEnd): Line[] {
  if (time === undefined) return [];
  const subject = { pod: podOf(pod), container: { name: container } };
  const ended = at(time);
  const base = { kind: 'container' as const, ...subject };
  const started = Math.max(0, ended - Math.round((ran ?? 0) * SECOND));
  return [
    ...(ran === undefined ? [] : [{ ...base, t: started, what: 'started' as const }]),
    { ...base, t: ended, what: 'ended' as const, exitCode, reason },
  ];
}
