import { type ClientHttp2Stream, constants } from 'node:http2';
import type { ApiObject } from './encoding.js';
import type { Applied } from './fault-rules.js';

/** An event that the API server sent. */
export interface Change extends ApiObject {
  readonly resource: string;
  /** ms since the start of the scenario. */
  readonly time: number;
}

/** One that the program has not been shown, because of a rule. */
export interface Hidden extends Change {
  readonly cause: Applied;
  readonly scope: string;
  /** Its watch is broken: only another answer shows it. */
  readonly isLost: boolean;
}

const MOST_HIDDEN = 10_000;

/** What a program has not been shown. A scope is what a list or a watch is about. */
export class View {
  readonly hidden = new Set<Hidden>();
  /** Watches that a fault broke. The proxy still reads them, until the program has others. */
  readonly #broken = new Map<string, ClientHttp2Stream>();

  hide(change: Hidden): void {
    if (this.hidden.size < MOST_HIDDEN) this.hidden.add(change);
  }

  /** The program was shown this event; without one, all that the API server has. */
  shown(scope: string, event?: ApiObject): void {
    const isOf = ({ name, namespace }: Hidden) =>
      event?.type === 'BOOKMARK' || (namespace === event?.namespace && name === event.name);
    this.#remove(scope, (each) => !event || (each.isLost && isOf(each) && each.revision <= event.revision));
  }

  /** A watch breaks, or another one of its scope begins. */
  reads(scope: string, broken?: ClientHttp2Stream): void {
    this.#broken.get(scope)?.close(constants.NGHTTP2_CANCEL);
    this.#broken.delete(scope);
    if (broken !== undefined) this.#broken.set(scope, broken);
    // Of an earlier watch: they come again.
    else this.#remove(scope, ({ isLost }) => !isLost);
  }

  #remove(scope: string, isSeen: (change: Hidden) => boolean): void {
    for (const each of this.hidden) if (each.scope === scope && isSeen(each)) this.hidden.delete(each);
  }
}

/** What a request with this target is about; with this Accept header it gets whole objects, or only their metadata. */
export function scopeOf(target: string, accept = ''): string {
  const [path, query] = target.split('?');
  const selectors = new URLSearchParams(query);
  const named = ['labelSelector', 'fieldSelector'].map((name) => selectors.get(name));
  return [path, accept.replaceAll('List;', ';'), ...named].join(' ');
}
