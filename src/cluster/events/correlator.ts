import { forgetOldest } from '../../base/input/forget-oldest.js';
import { type NodeEvent, subjectKey } from './event-object.js';

export type Correlated =
  | { readonly kind: 'drop' }
  | { readonly kind: 'new'; readonly key: string; readonly message: string }
  | {
      readonly kind: 'again';
      readonly key: string;
      readonly name: string;
      readonly message: string;
      readonly count: number;
    };

export interface Correlator {
  correlate(event: NodeEvent, now: number): Correlated;
  posted(key: string, name: string): void;
}

/** Constants of client-go tools/record/events_cache.go; times are in ms. */
const LIMITS = { events: 4096, burst: 25, refill: 300_000, similar: 10, window: 600_000 };

interface Spam {
  tokens: number;
  at: number;
}
interface Similar {
  readonly messages: Set<string>;
  at: number;
}
interface Seen {
  name: string | undefined;
  count: number;
}

/**
 * EventCorrelator (client-go tools/record): drops events of an object with too many, combines those of one reason when
 * more than ten have different messages within ten minutes, and counts equal ones. Forgets the oldest.
 */
export function createCorrelator(): Correlator {
  const spam = new Map<string, Spam>();
  const similar = new Map<string, Similar>();
  const seen = new Map<string, Seen>();

  const isSpam = (key: string, now: number): boolean => {
    const known = spam.get(key) ?? { tokens: LIMITS.burst, at: now };
    const tokens = Math.min(LIMITS.burst, known.tokens + (now - known.at) / LIMITS.refill);
    keep(spam, key, { tokens: tokens >= 1 ? tokens - 1 : tokens, at: now });
    return tokens < 1;
  };

  const isCombined = (key: string, message: string, now: number): boolean => {
    const known = similar.get(key);
    const fresh = known !== undefined && now - known.at <= LIMITS.window;
    const entry = fresh ? known : { messages: new Set<string>(), at: now };
    entry.at = now;
    entry.messages.add(message);
    if (entry.messages.size > LIMITS.similar) {
      // More messages than the limit would not change the decision.
      const [first] = entry.messages;
      if (first !== undefined) entry.messages.delete(first);
      keep(similar, key, entry);
      return true;
    }
    keep(similar, key, entry);
    return false;
  };

  return {
    correlate: (event, now) => {
      const { subject, reason, type, message, node } = event;
      const object = `${node}/${subjectKey(subject)}`;
      if (isSpam(object, now)) return { kind: 'drop' };
      const group = `${object}/${subject.fieldPath ?? ''}/${type}/${reason}`;
      const combined = isCombined(group, message, now);
      const shown = combined ? `(combined from similar events): ${message}` : message;
      const key = combined ? group : `${group}/${message}`;
      const known = seen.get(key);
      const entry = { name: known?.name, count: (known?.count ?? 0) + 1 };
      keep(seen, key, entry);
      if (entry.name === undefined) return { kind: 'new', key, message: shown };
      return { kind: 'again', key, name: entry.name, message: shown, count: entry.count };
    },
    posted: (key, name) => {
      const known = seen.get(key);
      if (known !== undefined) known.name = name;
    },
  };
}

function keep<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  forgetOldest(map, LIMITS.events);
}
