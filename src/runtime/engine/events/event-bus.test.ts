import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../base/clock/virtual-clock.js';
import { createEventBus } from './event-bus.js';
import { defaultEventOptions, type EventOptions } from './event-options.js';

const never = new AbortController().signal;

function bus(options: Partial<EventOptions> = {}) {
  const clock = createVirtualClock();
  return { clock, bus: createEventBus(clock, { ...defaultEventOptions, ...options }) };
}

const event = (text: string | number) => Buffer.from(String(text));

async function take(events: AsyncIterable<Buffer>, count: number): Promise<string[]> {
  const taken: string[] = [];
  const iterator = events[Symbol.asyncIterator]();
  while (taken.length < count) {
    const { value, done } = await iterator.next();
    if (done) break;
    taken.push(String(value));
  }
  return taken;
}

describe('the event bus', () => {
  it('hands the same bytes to everybody, in order', async () => {
    const { bus: events } = bus();
    const first = events.subscribe(never)[Symbol.asyncIterator]();
    const second = events.subscribe(never)[Symbol.asyncIterator]();
    const sent = event('a');
    events.publish(sent);
    expect((await first.next()).value).toBe(sent);
    expect((await second.next()).value).toBe(sent);
  });

  it('keeps a long queue in order', async () => {
    const { bus: events } = bus();
    const subscription = events.subscribe(never);
    const sent = Array.from({ length: 500 }, (_, number) => String(number));
    for (const number of sent) events.publish(event(number));
    expect(await take(subscription, 500)).toEqual(sent);
  });

  it('disconnects who is too slow, and disturbs nobody else (INV-35)', async () => {
    const { bus: events } = bus({ queueSize: 2 });
    const slow = events.subscribe(never);
    const quick = events.subscribe(never)[Symbol.asyncIterator]();
    for (const text of ['a', 'b', 'c']) {
      events.publish(event(text));
      expect(String((await quick.next()).value)).toBe(text);
    }
    await expect(take(slow, 3)).rejects.toMatchObject({ kind: 'exhausted' });
    expect(events.stats).toEqual({ published: 3, dropped: 0, disconnected: 1, queues: [0] });
  });

  it('drops new events for who is too slow', async () => {
    const { bus: events } = bus({ queueSize: 2, overflow: 'drop' });
    const slow = events.subscribe(never);
    for (const text of ['a', 'b', 'c']) events.publish(event(text));
    events.close();
    expect(await take(slow, 3)).toEqual(['a', 'b']);
    expect(events.stats.dropped).toBe(1);
  });

  it('makes publishers wait for space, until there is some or the subscriber leaves', async () => {
    const { bus: events } = bus({ queueSize: 1, overflow: 'block' });
    const subscription = events.subscribe(never);
    events.publish(event('a'));
    expect(events.room(never)).toBeUndefined();
    events.publish(event('b'));
    let free = false;
    const waiting = events.room(never)?.then(() => {
      free = true;
    });
    const leaving = new AbortController();
    const left = events.room(leaving.signal);
    leaving.abort();
    await left;
    expect(free).toBe(false);
    expect(await take(subscription, 1)).toEqual(['a']);
    await waiting;
    expect(free).toBe(true);
  });

  it('lets go of a subscriber whose call ends', async () => {
    const { bus: events } = bus();
    const call = new AbortController();
    const subscription = events.subscribe(call.signal);
    const rest = take(subscription, 1);
    expect(events.wanted).toBe(true);
    call.abort();
    expect(await rest).toEqual([]);
    expect(events.wanted).toBe(false);
  });

  it('replays what nobody heard to the first who comes, for five minutes', async () => {
    const { bus: events, clock } = bus({ replay: true, queueSize: 3 });
    events.publish(event('old'));
    await clock.advance(200_000);
    for (const text of ['a', 'b', 'c', 'd']) events.publish(event(text));
    const first = events.subscribe(never);
    const second = events.subscribe(never);
    events.close();
    expect(await take(first, 9)).toEqual(['b', 'c', 'd']);
    expect(await take(second, 9)).toEqual([]);

    const late = bus({ replay: true });
    late.bus.publish(event('old'));
    await late.clock.advance(300_001);
    const subscription = late.bus.subscribe(never);
    late.bus.close();
    expect(await take(subscription, 9)).toEqual([]);
  });
});
