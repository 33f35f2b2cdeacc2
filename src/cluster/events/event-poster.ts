import type { Clock } from '../../base/clock/clock.js';
import { toTime } from '../../kubelet/kubernetes/time.js';
import type { ClientOf } from '../api/api-client.js';
import { isNotFound, isTemporary } from '../api/api-error.js';
import { apiPath } from '../api/api-path.js';
import { createCorrelator } from './correlator.js';
import { eventObject, type NodeEvent, namespaceOf, subjectKey } from './event-object.js';

/** Events of all nodes on their way to the API server. */
export interface EventPoster {
  post(event: NodeEvent): void;
  /** Events that were given up, because too many waited or the server refused them. */
  readonly lost: number;
}

/** Events that wait at most (client-go tools/record maxQueuedEvents, for each kubelet). */
const MOST_WAITING = 10_000;
/** Events under way at a time: they must not take the turns of what matters more. */
const AT_ONCE = 8;
/** How often an event is tried, and the pause in ms in between (client-go tools/record maxTriesPerEvent). */
const TRIES = 12;
const PAUSE = 10_000;

/** Posts events in order of their arrival, several at a time, those of one object one after the other. */
export function createEventPoster(clientOf: ClientOf, clock: Clock): EventPoster {
  const correlator = createCorrelator();
  const waiting: NodeEvent[] = [];
  const busy = new Set<string>();
  let underWay = 0;
  /** In the last event's name: two events of one instant have different names. */
  let stamp = 0n;
  let lost = 0;

  const attempt = async (event: NodeEvent): Promise<void> => {
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

  const work = async (event: NodeEvent): Promise<void> => {
    for (let tries = 1; ; tries++) {
      try {
        return await attempt(event);
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
      const index = waiting.findIndex(({ subject }) => !busy.has(subjectKey(subject)));
      const [event] = index < 0 ? [] : waiting.splice(index, 1);
      if (event === undefined) return;
      const subject = subjectKey(event.subject);
      underWay++;
      busy.add(subject);
      void clock
        .run(() => work(event))
        .finally(() => {
          underWay--;
          busy.delete(subject);
          go();
        });
    }
  };

  return {
    post: (event) => {
      if (waiting.length >= MOST_WAITING) {
        lost++;
        return;
      }
      waiting.push(event);
      go();
    },
    get lost() {
      return lost;
    },
  };
}
