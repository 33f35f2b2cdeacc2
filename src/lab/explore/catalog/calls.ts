import type { Point } from '../points/points.js';
import { isWork } from '../points/state.js';
import { delayOnce, slow, slowCreate } from './delays.js';
import { during, once, type PerturbationTemplate } from './make.js';
import type { Perturbation } from './perturbation.js';

/** Duration of an outage of one RPC in ms: longer than the kubelet's retries after 10 to 15 s (backOffPeriod). */
const OUTAGE = 40_000;

const INJECTED = 'injected by mockri explore';
const LATE = 'context deadline exceeded';

const errorBefore: PerturbationTemplate = {
  family: 'error',
  name: 'error before',
  says: 'fails before it does anything',
  rule: { then: { error: { code: 'UNKNOWN', message: INJECTED } } },
};

const replyLost: PerturbationTemplate = {
  family: 'error',
  name: 'reply lost',
  says: 'succeeds, but its reply is lost',
  rule: { then: { error: { code: 'DEADLINE_EXCEEDED', message: LATE, effect: 'after' } } },
};

/** The client gets its error first; the runtime finishes the work five seconds later. */
const doneLate: PerturbationTemplate = {
  family: 'error',
  name: 'done late',
  says: 'returns an error, but takes effect 5s later',
  rule: { then: { error: { code: 'DEADLINE_EXCEEDED', message: LATE, effect: 'late', lateBy: '5s' } } },
  lasts: 5000,
};

/** The call never returns; the kubelet gives up after its timeout. */
const hang: PerturbationTemplate = {
  family: 'hang',
  name: 'hang',
  says: 'hangs',
  rule: { then: { hang: {} } },
};

const reply = (name: string, says: string, then: object): PerturbationTemplate => ({
  family: 'reply',
  name,
  says,
  rule: { then: { reply: then as { stale: true } } },
});

const stale = reply('stale reply', 'returns a stale reply', { stale: true });
const empty = reply('empty list', 'returns an empty list', { empty: true });

export function perturbCall(point: Point): Perturbation[] {
  const { method } = point;
  if (method === 'GetContainerEvents') return perturbStream(point);
  const common = [once(point, errorBefore), during(point, errorBefore, OUTAGE), ...delayOnce(point)];
  if (isWork(method)) return [...common, ...slowCreate(point), once(point, replyLost), once(point, doneLate)];
  return [...common, slow(point), ...replies(point)];
}

function replies(point: Point): Perturbation[] {
  const both = (template: PerturbationTemplate) => [once(point, template), during(point, template, OUTAGE)];
  if (point.method.startsWith('List')) return [...both(stale), ...both(empty)];
  if (point.method === 'PodSandboxStatus')
    return [
      ...both(stale),
      // containerd #10728: the timestamp without the statuses.
      during(
        point,
        reply('no container statuses', 'returns no containers', {
          patch: { containers_statuses: [] },
        }),
        undefined,
      ),
    ];
  if (point.method !== 'ContainerStatus') return [];
  return [
    ...both(stale),
    // One such pod delays relists; two make the PLEG unhealthy, and the status of every pod hangs.
    during({ ...point, pod: undefined, container: undefined }, hang, undefined),
    once(
      point,
      reply('state CREATED', 'shows the container as created and not started', {
        patch: { status: { state: 0 } },
      }),
    ),
    once(point, {
      family: 'reply',
      name: 'status lost',
      says: 'reports the state of the container as unknown',
      rule: { then: { loseStatus: {} } },
    }),
    during(
      point,
      reply('finished_at in seconds', 'gives finished_at in seconds instead of nanoseconds', {
        patch: { status: { finished_at: { $divide: 1_000_000_000 } } },
      }),
      undefined,
    ),
  ];
}

function perturbStream(point: Point): Perturbation[] {
  const stream = (name: string, says: string, then: object, times?: number): PerturbationTemplate => ({
    family: 'stream',
    name,
    says,
    rule: { then, ...(times !== undefined && { when: { times } }) },
  });
  return [
    during(
      point,
      stream('unimplemented', 'fails with UNIMPLEMENTED', { close: { code: 'UNIMPLEMENTED' } }),
      undefined,
    ),
    once(
      point,
      stream(
        'broken five times',
        'breaks, five times in a row',
        { close: { code: 'UNAVAILABLE', message: 'error reading from server: EOF' } },
        5,
      ),
    ),
    once(point, stream('ended five times', 'ends without an error, five times in a row', { end: {} }, 5)),
  ];
}
