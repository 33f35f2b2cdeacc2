import { EventBook } from './events.js';
import { type CallResult, exchange } from './exchange.js';
import type { SequenceObjects } from './objects.js';
import type { Side } from './side.js';
import type { PlannedCall } from './steps.js';
import type { NormalOutcome } from './trace.js';

/** Time in ms after which a subscription counts as active; gRPC does not report it. */
const SUBSCRIBED = 100;

/** Forms of GetContainerEvents in a sequence. */
export const SUBSCRIBERS = { reads: 'by another subscriber', unread: 'by a subscriber that does not read' };

export interface Subscriber {
  /** Compares its events of these objects since its subscription with the first subscriber's. */
  compare(ids: readonly string[]): string;
  close(): void;
}

/** Opens another event stream, read or unread, next to the run's own. */
export async function subscribe(side: Side, form: string): Promise<Subscriber> {
  const { cri, clock, events } = side;
  if (form === SUBSCRIBERS.unread) {
    const abort = new AbortController();
    const stream = cri.getContainerEvents({}, { signal: abort.signal })[Symbol.asyncIterator]();
    stream.next().catch(() => {});
    await clock.sleep(SUBSCRIBED);
    return { compare: () => 'reads nothing', close: () => abort.abort() };
  }
  const book = new EventBook(cri, clock);
  await clock.sleep(SUBSCRIBED);
  const before = events.counts();
  return {
    compare: (ids) => {
      const first = ids.flatMap((id) => keysOf(events, id).slice(before.get(id) ?? 0));
      const other = ids.flatMap((id) => keysOf(book, id));
      return JSON.stringify(first) === JSON.stringify(other)
        ? 'gets the events that another one gets'
        : 'gets other events than another one';
    },
    close: () => book.close(),
  };
}

const keysOf = (book: EventBook, id: string): readonly number[] =>
  book.of(id).map(({ containerEventType }) => containerEventType);

/** Time in ms after which a call counts as blocked by a subscriber. */
const BLOCKED = 4000;

/** Rounds of a step on both runtimes: they end at the first failure on one of them. */
export interface Rounds {
  most: number;
}

/** Creates and removes a container many times, with large annotations; resolves with the first failure. */
export async function churn(
  given: Side,
  objects: SequenceObjects,
  call: PlannedCall,
  rounds: Rounds,
): Promise<NormalOutcome> {
  const side = { ...given, timeout: BLOCKED };
  const annotations = { pad: 'x'.repeat(20_000) };
  const failed = ({ outcome }: CallResult, round: number): NormalOutcome => {
    rounds.most = Math.min(rounds.most, round + 1);
    return outcome();
  };
  for (let round = 0; round < rounds.most && !side.signal.aborted; round++) {
    const { podSandboxId, pod, container } = objects.target(call);
    const request = { podSandboxId, config: { ...container, annotations }, sandboxConfig: pod };
    const created = await exchange(side, objects, 'CreateContainer', request);
    if (created.reply === undefined) return failed(created, round);
    const removed = await exchange(side, objects, 'RemoveContainer', created.reply);
    if (removed.reply === undefined) return failed(removed, round);
  }
  return { code: 'OK', reply: {} };
}
