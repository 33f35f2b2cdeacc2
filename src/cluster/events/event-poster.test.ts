import { expect, it } from 'vitest';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import type { ApiClient } from '../api/api-client.js';
import type { NodeEvent } from './event-object.js';
import { createEventPoster } from './event-poster.js';

const event = (node: string, pod: string, reason: string): NodeEvent => ({
  subject: { kind: 'Pod', name: pod, uid: pod, namespace: 'default' },
  node,
  type: 'Normal',
  reason,
  message: reason,
  time: 0n,
});

/** A poster whose API server answers each request when the test says so. */
function poster() {
  const clock = createVirtualClock();
  const posted: string[] = [];
  const answers: (() => void)[] = [];
  const request = ({ body }: { body: () => object }) => {
    const { involvedObject, reason } = body() as { involvedObject: { name: string }; reason: string };
    posted.push(`${involvedObject.name} ${reason}`);
    return clock.idle(new Promise<void>((resolve) => answers.push(resolve)));
  };
  const events = createEventPoster(() => ({ request }) as unknown as ApiClient, clock);
  return {
    events,
    posted,
    /** Answers the oldest request. */
    answer: () => {
      answers.shift()?.();
      return clock.settle();
    },
    settle: () => clock.settle(),
  };
}

it('posts the events of one object one after the other, those of others meanwhile', async () => {
  const { events, posted, answer, settle } = poster();
  for (const reason of ['Scheduled', 'Pulled']) events.post(event('one', 'web', reason));
  events.post(event('one', 'db', 'Pulled'));
  await settle();
  expect(posted).toEqual(['web Scheduled', 'db Pulled']);
  await answer();
  expect(posted).toEqual(['web Scheduled', 'db Pulled', 'web Pulled']);
});

it('has eight requests in progress', async () => {
  const { events, posted, answer, settle } = poster();
  for (let pod = 0; pod < 20; pod++) events.post(event('one', `pod-${pod}`, 'Pulled'));
  await settle();
  expect(posted).toHaveLength(8);
  await answer();
  expect(posted).toHaveLength(9);
});

it('gives up events of a node that has 1,000 waiting, and none of other nodes', async () => {
  const { events, settle } = poster();
  for (let pod = 0; pod < 1100; pod++) events.post(event('busy', `pod-${pod}`, 'Pulled'));
  const { lost } = events;
  expect(lost).toBeGreaterThan(0);
  events.post(event('quiet', 'web', 'Pulled'));
  await settle();
  expect(events.lost).toBe(lost);
});
