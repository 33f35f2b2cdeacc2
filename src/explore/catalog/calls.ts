import type { Perturbation } from '../perturbation.js';
import type { Point } from '../points.js';
import { isWork } from '../state.js';
import { delayOnce, slow } from './delays.js';
import { during, once, type PerturbationTemplate } from './make.js';

/** How long an outage of one RPC lasts, in ms: longer than the kubelet's retries after 10 to 15 s (backOffPeriod). */
const OUTAGE = 40_000;

const INJECTED = 'injected by mockri explore';
const LATE = 'context deadline exceeded';

const errorBefore: PerturbationTemplate = {
  family: 'error',
  name: 'error before',
  rule: { then: { error: { code: 'UNKNOWN', message: INJECTED } } },
};

/** The work is done, and its reply is lost. */
const replyLost: PerturbationTemplate = {
  family: 'error',
  name: 'reply lost',
  rule: { then: { error: { code: 'DEADLINE_EXCEEDED', message: LATE, effect: 'after' } } },
};

/** The client has its error first, and the work is done five seconds later. */
const doneLate: PerturbationTemplate = {
  family: 'error',
  name: 'done late',
  rule: { then: { error: { code: 'DEADLINE_EXCEEDED', message: LATE, effect: 'late', lateBy: '5s' } } },
  lasts: 5000,
};

/** The call never returns: the kubelet gives up after its timeout. */
const hang: PerturbationTemplate = { family: 'hang', name: 'hang', rule: { then: { hang: {} } } };

const reply = (
  name: string,
  then: object,
  more: Partial<PerturbationTemplate> = {},
): PerturbationTemplate => ({
  family: 'reply',
  name,
  rule: { then: { reply: then as { stale: true } } },
  ...more,
});

const stale = reply('stale reply', { stale: true });
const empty = reply('empty list', { empty: true });

/** What can go wrong at one call. */
export function perturbCall(point: Point): Perturbation[] {
  const { method } = point;
  if (method === 'GetContainerEvents') return perturbStream(point);
  const common = [once(point, errorBefore), during(point, errorBefore, OUTAGE), ...delayOnce(point)];
  if (isWork(method)) return [...common, once(point, replyLost), once(point, doneLate)];
  return [...common, slow(point), ...replies(point)];
}

/** Replies that are not true. */
function replies(point: Point): Perturbation[] {
  const both = (template: PerturbationTemplate) => [once(point, template), during(point, template, OUTAGE)];
  if (point.method.startsWith('List')) return [...both(stale), ...both(empty)];
  if (point.method === 'PodSandboxStatus')
    return [
      ...both(stale),
      // containerd #10728: the timestamp without the statuses.
      during(point, reply('no container statuses', { patch: { containers_statuses: [] } }), undefined),
    ];
  if (point.method !== 'ContainerStatus') return [];
  return [
    ...both(stale),
    // One such pod delays relists, and two of them make the PLEG unhealthy: the status of every pod hangs.
    during({ ...point, pod: undefined, container: undefined }, hang, undefined),
    once(point, reply('state CREATED', { patch: { status: { state: 0 } } })),
    once(point, { family: 'reply', name: 'status lost', rule: { then: { loseStatus: {} } } }),
    during(
      point,
      reply('finished_at in seconds', { patch: { status: { finished_at: { $divide: 1_000_000_000 } } } }),
      undefined,
    ),
  ];
}

/** The stream of events when it is opened. */
function perturbStream(point: Point): Perturbation[] {
  const stream = (name: string, then: object, times?: number): PerturbationTemplate => ({
    family: 'stream',
    name,
    rule: { then, ...(times !== undefined && { when: { times } }) },
  });
  return [
    during(point, stream('unimplemented', { close: { code: 'UNIMPLEMENTED' } }), undefined),
    once(
      point,
      stream(
        'broken five times',
        { close: { code: 'UNAVAILABLE', message: 'error reading from server: EOF' } },
        5,
      ),
    ),
    once(point, stream('ended five times', { end: {} }, 5)),
  ];
}
