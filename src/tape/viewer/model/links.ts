import { append } from '../../../base/input/group-by.js';
import type { Instance, Instances } from './instances.js';
import { indexFrom } from './order.js';
import type { Item, LineOf, Link } from './timeline.js';

/** Finds related items: a fault and its call; an exit, its event, the relist that noticed it, and the restart. */
export interface Linker {
  call(entry: LineOf<'call'>, item: Item): void;
  fault(flag: Item, call: Item | undefined): void;
  event(containerId: unknown, name: string, item: Item): void;
  keep(isKept: (item: Item) => boolean): void;
  links(): Link[];
}

export function createLinker(instances: Instances): Linker {
  let found: Link[] = [];
  const stops = new Map<string, Item[]>();
  let lists: Item[] = [];
  return {
    call: ({ method, message }, item) => {
      const filter = message?.filter as
        | { readonly podSandboxId?: unknown; readonly id?: unknown }
        | undefined;
      const isWhole = filter?.podSandboxId === undefined && filter?.id === undefined;
      if (method === 'ListContainers' && isWhole) lists.push(item);
    },
    fault: (flag, call) => {
      if (call !== undefined) found.push({ from: flag, to: call, why: 'hit' });
    },
    event: (containerId, name, item) => {
      if (name === 'STOPPED' && typeof containerId === 'string') append(stops, containerId, item);
    },
    keep: (isKept) => {
      found = found.filter(({ from, to }) => isKept(from) && isKept(to));
      lists = lists.filter(isKept);
      for (const [id, items] of stops) {
        const kept = items.filter(isKept);
        if (kept.length > 0) stops.set(id, kept);
        else stops.delete(id);
      }
    },
    links: () => {
      const answered = lists.filter(({ code }) => code === 'OK');
      const made = instances.all.flatMap((instance) => linksOf(instance, stops, answered));
      return [...found, ...made].sort((a, b) => a.from.t - b.from.t);
    },
  };
}

function linksOf(
  { ended, running: from, id, next: after }: Instance,
  stops: ReadonlyMap<string, readonly Item[]>,
  answered: readonly Item[],
): Link[] {
  if (ended === undefined || from === undefined) return [];
  // A start that another source dates before the end is not a restart after it.
  const next = after?.running !== undefined && after.running.t >= ended ? after.running : undefined;
  const until = next?.t ?? Number.POSITIVE_INFINITY;
  const event = id === undefined ? undefined : firstFrom(stops.get(id) ?? [], ended);
  const list = firstFrom(answered, ended);
  const seen = list !== undefined && list.t <= until ? list : undefined;
  return [
    ...(event ? [{ from, to: event, why: 'event' } as const] : []),
    ...(seen ? [{ from, to: seen, why: 'seen' } as const] : []),
    ...(next ? [{ from, to: next, why: 'restart' } as const] : []),
  ];
}

const firstFrom = (items: readonly Item[], t: number): Item | undefined => items[indexFrom(items, t)];
