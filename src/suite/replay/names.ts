import { randomBytes } from 'node:crypto';
import { renamed } from '../../tape/history/renaming.js';

/** Ids and uids in texts and paths. */
const TOKEN = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32,}/g;

/** Recorded and present names: ids, uids of pods, images, host paths. */
export class Names {
  readonly #live = new Map<string, string>();
  readonly #taped = new Map<string, string>();
  readonly #others: [string, string][] = [];

  set(recorded: string, live: string): void {
    if (recorded === '' || live === '') return;
    this.#live.set(recorded, live);
    this.#taped.set(live, recorded);
    if (recorded === live || recorded.replace(TOKEN, '') === '') return;
    this.#others.push([recorded, live]);
    this.#others.sort(([a], [b]) => b.length - a.length);
  }

  /** Undefined when there is no other name for it. */
  liveOf(recorded: string): string | undefined {
    return this.#live.get(recorded);
  }

  /** Translates a recorded message to present names. */
  toLive<T>(message: T): T {
    return renamed(message, { time: same, text: (text) => this.#change(text, this.#live, 0) });
  }

  /** Translates a present message to the tape's names. */
  toTape<T>(message: T): T {
    // The runtime may still have the recorded object, which is not the one with its present names.
    const textOf = (text: string) =>
      this.#live.has(text) && !this.#taped.has(text) ? `other ${text}` : this.#change(text, this.#taped, 1);
    return renamed(message, { time: same, text: textOf });
  }

  #change(text: string, names: ReadonlyMap<string, string>, from: 0 | 1): string {
    const whole = names.get(text);
    if (whole !== undefined) return whole;
    let changed = text;
    for (const pair of this.#others)
      if (changed.includes(pair[from])) changed = changed.replaceAll(pair[from], pair[from === 0 ? 1 : 0]);
    return changed.replace(TOKEN, (token) => names.get(token) ?? token);
  }
}

const same = (nanos: bigint): bigint => nanos;

/** Another uid of the same form: a runtime may still have a pod with the recorded one. */
export function freshUid(recorded: string): string {
  const digits = randomBytes(recorded.length).toString('hex');
  const isHex = recorded.replace(TOKEN, '') === '';
  return isHex
    ? recorded.replace(/[0-9a-f]/g, (_, index: number) => digits[index] ?? '0')
    : `${recorded}-${digits.slice(0, 8)}`;
}
