import type { Instance, Instances } from './instances.js';
import type { Item, LineOf, Link } from './timeline.js';

/** Finds what belongs together: a fault and its call; an exit, its event, the relist that saw it, and the restart. */
export interface Linker {
  call(entry: LineOf<'call'>, item: Item): void;
  fault(flag: Item, call: Item | undefined): void;
  event(containerId: unknown, name: string, item: Item): void;
  /** All that was found, in order of time. */
  links(): Link[];
}

/** Finds nothing at first. */
export function createLinker(instances: Instances): Linker {
  const found: Link[] = [];
  const stops = new Map<string, Item[]>();
  const lists: Item[] = [];
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
      if (name !== 'STOPPED' || typeof containerId !== 'string') return;
      const items = stops.get(containerId) ?? [];
      items.push(item);
      stops.set(containerId, items);
    },
    links: () => {
      const made = instances.all.flatMap((instance) => linksOf(instance, instances.all, stops, lists));
      return [...found, ...made].sort((a, b) => a.from.t - b.from.t);
    },
  };
}

function linksOf(
  instance: Instance,
  all: readonly Instance[],
  stops: ReadonlyMap<string, readonly Item[]>,
  lists: readonly Item[],
): Link[] {
  const { ended, running: from, id, lane, attempt } = instance;
  if (ended === undefined || from === undefined) return [];
  const next = all.find((each) => each.lane === lane && each.attempt === attempt + 1)?.running;
  const until = next?.t ?? Number.POSITIVE_INFINITY;
  const event = (id === undefined ? [] : (stops.get(id) ?? [])).find(({ t }) => t >= ended);
  const seen = firstFrom(lists, ended, until);
  return [
    ...(event ? [{ from, to: event, why: 'event' } as const] : []),
    ...(seen ? [{ from, to: seen, why: 'seen' } as const] : []),
    ...(next ? [{ from, to: next, why: 'restart' } as const] : []),
  ];
}

/** The first call from a time on, before another one, that was answered; calls are in order of time. */
function firstFrom(calls: readonly Item[], from: number, until: number): Item | undefined {
  let [low, high] = [0, calls.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((calls[middle] as Item).t < from) low = middle + 1;
    else high = middle;
  }
  for (let index = low; index < calls.length; index++) {
    const call = calls[index] as Item;
    if (call.t > until) return undefined;
    if (call.code === 'OK') return call;
  }
  return undefined;
}
