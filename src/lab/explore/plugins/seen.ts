import type { Entry } from '../../../tape/entries.js';

/** What a plugin knows about the existing containers. */
export interface Seen {
  /** Names of the containers that were created through the plugin. */
  readonly created: ReadonlySet<string>;
  /** How many of the open connections have shown each container to the plugin, by name. */
  readonly seen: ReadonlyMap<string, number>;
}

/** Reads a tape; `containers` are ids by name. */
export function seenIn(entries: readonly Entry[], containers: ReadonlyMap<string, string>): Seen {
  const created = new Set<string>();
  const shown = new Map<number, Set<string>>();
  const open = new Set<number>();
  for (const entry of entries) {
    if (entry.kind === 'plugin') {
      if (entry.what === 'synchronized') open.add(entry.connection);
      else open.delete(entry.connection);
    }
    if (entry.kind !== 'nri') continue;
    const ids = shown.get(entry.connection) ?? new Set();
    shown.set(entry.connection, ids);
    for (const id of entry.shows ?? []) ids.add(id);
    if (entry.method !== 'CreateContainer' || entry.container?.id === undefined) continue;
    ids.add(entry.container.id);
    if (entry.details === undefined) created.add(entry.container.id);
  }
  const views = [...open].map((connection) => shown.get(connection));
  return {
    created: new Set([...containers].flatMap(([name, id]) => (created.has(id) ? [name] : []))),
    seen: new Map([...containers].map(([name, id]) => [name, views.filter((ids) => ids?.has(id)).length])),
  };
}
