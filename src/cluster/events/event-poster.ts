import type { Clock } from '../../base/clock/clock.js';
import { toTime } from '../../kubelet/kubernetes/time.js';
import type { ClientOf } from '../api/api-client.js';
import { isNotFound, isTemporary } from '../api/api-error.js';
import { apiPath } from '../api/api-path.js';
import { createCorrelator } from './correlator.js';
import { eventObject, type NodeEvent, namespaceOf, subjectKey } from './event-object.js';

export interface EventPoster {
  post(event: NodeEvent): void;
  /** Events that were dropped, because too many waited or the server refused them. */
  readonly lost: number;
}

/** Maximum number of waiting events per node (client-go tools/record maxQueuedEvents). */
const MOST_WAITING = 1000;
/** Concurrent posts: they must not take the turns of more important requests. */
const AT_ONCE = 8;
/** Attempts per event, and the pause in ms between them (client-go tools/record maxTriesPerEvent). */
const TRIES = 12;
const PAUSE = 10_000;

/** Posts events in order of arrival, several at a time, those of one object one after another. */
export function createEventPoster(clientOf: ClientOf, clock: Clock): EventPoster {
  const send = createSender(clientOf, clock);
  /** Events by object, in order; the first one of a busy object is being posted. */
  const waiting = new Map<string, NodeEvent[]>();
  /** Objects with a waiting event and none being posted. */
  const ready: string[] = [];
  /** Number of waiting events by node. */
  const waitingOf = new Map<string, number>();
  let underWay = 0;
  let lost = 0;

  const work = async (event: NodeEvent): Promise<void> => {
    for (let tries = 1; ; tries++) {
      try {
        return await send(event);
      } catch (error) {
        if (!isTemporary(error) || tries >= TRIES) {
          lost++;
          return;
        }
        await clock.sleep(PAUSE);
      }
    }
  };

  const go = (): void => {
    while (underWay < AT_ONCE) {
      const subject = ready.shift();
      if (subject === undefined) return;
      underWay++;
      void clock.run(() => workFirst(subject));
    }
  };

  const workFirst = async (subject: string): Promise<void> => {
    const events = waiting.get(subject) ?? [];
    const [event] = events;
    if (event !== undefined) {
      const left = (waitingOf.get(event.node) ?? 1) - 1;
      if (left > 0) waitingOf.set(event.node, left);
      else waitingOf.delete(event.node);
      await work(event);
    }
    events.shift();
    underWay--;
    if (events.length > 0) ready.push(subject);
    else waiting.delete(subject);
    go();
  };

  return {
    post: (event) => {
      const before = waitingOf.get(event.node) ?? 0;
      if (before >= MOST_WAITING) {
        lost++;
        return;
      }
      waitingOf.set(event.node, before + 1);
      const subject = subjectKey(event.subject);
      const events = waiting.get(subject);
      if (events !== undefined) {
        events.push(event);
        return;
      }
      waiting.set(subject, [event]);
      ready.push(subject);
      go();
    },
    get lost() {
      return lost;
    },
  };
}

/**
 * Posts one event, or increments the count of the Event object for its repetitions. Rejects if the server refuses it.
 */
function createSender(clientOf: ClientOf, clock: Clock): (event: NodeEvent) => Promise<void> {
  const correlator = createCorrelator();
  /** Part of the last event's name: two events of one instant have different names. */
  let stamp = 0n;

  return async (event) => {
    const correlated = correlator.correlate(event, clock.elapsed());
    if (correlated.kind === 'drop') return;
    const api = clientOf(event.node);
    const base = apiPath`/api/v1/namespaces/${namespaceOf(event.subject)}/events`;
    const { key, message } = correlated;
    if (correlated.kind === 'again') {
      const { name, count } = correlated;
      try {
        await api.request({
          method: 'PATCH',
          path: base + apiPath`/${name}`,
          type: 'application/strategic-merge-patch+json',
          body: () => ({ count, message, lastTimestamp: toTime(event.time) }),
          priority: 'event',
          answer: 'metadata',
        });
        return;
      } catch (error) {
        // The server keeps events for an hour.
        if (!isNotFound(error)) throw error;
      }
    }
    stamp = event.time > stamp ? event.time : stamp + 1n;
    const name = `${event.subject.name}.${stamp.toString(16)}`;
    await api.request({
      method: 'POST',
      path: base,
      body: () => eventObject(event, name, message),
      priority: 'event',
      answer: 'metadata',
    });
    correlator.posted(key, name);
  };
}
