import type { Perturbation } from '../perturbation.js';
import type { Point } from '../points.js';
import { during, once, type PerturbationTemplate } from './make.js';

const eventTemplate = (name: string, then: object, lasts = 0): PerturbationTemplate => ({
  family: 'event',
  name,
  rule: { then },
  lasts,
});

/** In nanoseconds: 30 years. */
const FAR_FUTURE = 1_000_000_000_000_000_000;

const lost = eventTemplate('event lost', { drop: {} });
const nameless = eventTemplate('event without sandbox', {
  reply: { replace: { container_id: 'unknown', container_event_type: 2 } },
});

/** What can happen to one message of the event stream, and to the stream from it on. */
export const perturbMessage = (point: Point): Perturbation[] => [
  once(point, lost),
  during(point, lost, undefined),
  once(point, eventTemplate('event 20s late', { delay: '20s' }, 20_000)),
  once(point, eventTemplate('event twice', { duplicate: { copies: 1 } })),
  once(point, eventTemplate('event 1000 times', { duplicate: { copies: 1000 } })),
  once(point, eventTemplate('event out of order', { reorder: { window: 2 } })),
  once(
    point,
    eventTemplate('event from the far future', { reply: { patch: { created_at: { $add: FAR_FUTURE } } } }),
  ),
  during(point, nameless, undefined),
  once(
    point,
    eventTemplate('stream broken', {
      close: { code: 'UNAVAILABLE', message: 'error reading from server: EOF' },
    }),
  ),
  once(point, eventTemplate('stream stalled', { stall: {} })),
];
