import type { Point } from '../points/points.js';
import { during, once, type PerturbationTemplate } from './make.js';
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

/** Perturbs one message of the event stream, or the stream from it on. */
export const perturbMessage = (point: Point): Perturbation[] => [
  once(point, lost),
  during(point, lost, undefined),
  once(point, eventTemplate('event 20s late', 'arrives 20s late', { delay: '20s' }, 20_000)),
  once(point, eventTemplate('event twice', 'arrives twice', { duplicate: { copies: 1 } })),
  once(point, eventTemplate('event 1000 times', 'arrives 1000 times', { duplicate: { copies: 1000 } })),
  once(point, eventTemplate('event out of order', 'arrives after the next one', { reorder: { window: 2 } })),
  once(
    point,
    eventTemplate('event from the far future', 'has a time 30 years ahead', {
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
