import type { Point, TapePoints } from '../points/points.js';
import { perturbCall } from './calls.js';
import { during, once, type PerturbationTemplate } from './make.js';
import { perturbMoment } from './moments.js';
import type { Perturbation } from './perturbation.js';

const eventTemplate = (name: string, says: string, then: object, lasts = 0): PerturbationTemplate => ({
  family: 'event',
  name,
  says,
  rule: { then },
  lasts,
});

/** 30 years in nanoseconds. */
const FAR_FUTURE = 1_000_000_000_000_000_000;

const lost = eventTemplate('event lost', 'is lost', { drop: {} });
const nameless = eventTemplate('event without sandbox', 'names no sandbox', {
  reply: { replace: { container_id: 'unknown', container_event_type: 2 } },
});

const perturbMessage = (point: Point): Perturbation[] => [
  once(point, lost),
  during(point, lost, undefined),
  once(point, eventTemplate('event 20s late', 'arrives 20s late', { delay: '20s' }, 20_000)),
  once(point, eventTemplate('event twice', 'arrives twice', { duplicate: { copies: 1 } })),
  once(point, eventTemplate('event 1000 times', 'arrives 1000 times', { duplicate: { copies: 1000 } })),
  once(point, eventTemplate('event out of order', 'arrives after the next one', { reorder: { window: 2 } })),
  once(
    point,
    eventTemplate('event from the far future', 'has a timestamp 30 years in the future', {
      reply: { patch: { created_at: { $add: FAR_FUTURE } } },
    }),
  ),
  during(point, nameless, undefined),
  once(
    point,
    eventTemplate('stream broken', 'breaks the stream', {
      close: { code: 'UNAVAILABLE', message: 'error reading from server: EOF' },
    }),
  ),
  once(point, eventTemplate('stream stalled', 'is the last one: the stream stalls', { stall: {} })),
];

export interface Candidate {
  readonly perturbation: Perturbation;
  readonly state: string;
}

export function candidatesOf({ points, moments }: TapePoints): Candidate[] {
  const found = [
    ...points.flatMap((point) =>
      (point.what === 'call' ? perturbCall(point) : perturbMessage(point)).map((perturbation) => ({
        perturbation,
        state: point.state,
      })),
    ),
    ...moments.flatMap((moment) =>
      perturbMoment(moment).map((perturbation) => ({ perturbation, state: moment.state })),
    ),
  ];
  const unique = new Map<string, Candidate>();
  for (const each of found) if (!unique.has(each.perturbation.id)) unique.set(each.perturbation.id, each);
  return [...unique.values()].sort((a, b) => a.perturbation.at - b.perturbation.at);
}

/** Matches `--only` against the family, a part of the kind, or a method. Without words, everything matches. */
export const isChosen = ({ family, kind }: Perturbation, only: readonly string[]): boolean =>
  only.length === 0 ||
  only.some((word) => word === family || kind.toLowerCase().includes(word.toLowerCase()));
