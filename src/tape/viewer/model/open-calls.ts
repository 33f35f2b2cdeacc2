import type { Item } from './timeline.js';

export interface OpenCall {
  readonly item: Item;
  readonly method: string;
  readonly pod: string;
  readonly container: string | undefined;
  messages: number;
}

/** A call in a linked list of those with the same RPC. */
interface Place {
  readonly number: number;
  readonly call: OpenCall;
  older: Place | undefined;
  newer: Place | undefined;
}

const MOST_COMPARED = 1000;

/** Open calls. Each operation takes constant time. */
export class OpenCalls {
  readonly #places = new Map<number, Place>();
  readonly #newest = new Map<string, Place>();

  add(number: number, call: OpenCall): void {
    this.take(number);
    const older = this.#newest.get(call.method);
    const place: Place = { number, call, older, newer: undefined };
    if (older !== undefined) older.newer = place;
    this.#newest.set(call.method, place);
    this.#places.set(number, place);
  }

  get(number: number): OpenCall | undefined {
    return this.#places.get(number)?.call;
  }

  take(number: number): OpenCall | undefined {
    const place = this.#places.get(number);
    if (place === undefined) return undefined;
    const { call, older, newer } = place;
    this.#places.delete(number);
    if (older !== undefined) older.newer = newer;
    if (newer !== undefined) newer.older = older;
    else if (older !== undefined) this.#newest.set(call.method, older);
    else this.#newest.delete(call.method);
    return call;
  }

  /** The newest matching call of an RPC, among the last thousand. */
  newest(method: string, isMeant: (call: OpenCall) => boolean): OpenCall | undefined {
    let place = this.#newest.get(method);
    for (let compared = 0; place !== undefined && compared < MOST_COMPARED; compared++) {
      if (isMeant(place.call)) return place.call;
      place = place.older;
    }
    return undefined;
  }

  keep(isKept: (item: Item) => boolean): void {
    for (const { number, call } of this.#places.values()) if (!isKept(call.item)) this.take(number);
  }
}
