import { forgetOldest, MOST_KEPT } from '../../../base/input/forget-oldest.js';
import type { EntryOf } from '../../entries.js';
import type { Watcher } from '../../world/watcher.js';
import type { Findings } from '../finding.js';
import type { PluginRule } from './rules.js';

/** Requests about a container in lifecycle order. Those with the same number come in any order. */
const ORDER: Readonly<Record<string, number>> = {
  CreateContainer: 0,
  ValidateContainerAdjustment: 1,
  PostCreateContainer: 2,
  StartContainer: 3,
  PostStartContainer: 4,
  StopContainer: 5,
  RemoveContainer: 6,
};

/** Requests at any time between creation and removal. */
const ANY_TIME = ['UpdateContainer', 'PostUpdateContainer'];

interface Known {
  /** Position of the last request in `ORDER`. */
  step: number;
  readonly line: number;
  readonly isSeen: boolean;
}

interface Connected {
  readonly name: string;
  readonly events: ReadonlySet<string>;
  readonly line: number;
  readonly containers: Map<string, Known>;
  readonly gone: Map<string, number>;
}

/** Follows what plugins learn and request. Effects of fault rules are ignored. */
export function watchPlugins(findings: Findings): Watcher {
  const plugins = new Map<number, Connected>();
  /** Containers in Synchronize of a plugin that is still connecting. */
  const shown = new Map<number, Map<string, Known>>();
  const living = new Map<string, number>();
  const faulty = new Set<string>();
  /** Plugins from which fault rules withheld something. */
  const disturbed = new Set<string>();

  const add: Add = (...finding) => findings.add(...finding);

  const came = ({ plugin, connection, events = [] }: EntryOf<'plugin'>, line: number) => {
    const containers = shown.get(connection) ?? new Map<string, Known>();
    shown.delete(connection);
    if (plugins.size >= MOST_KEPT) return;
    plugins.set(connection, {
      name: plugin,
      events: new Set(events),
      line,
      containers,
      gone: new Map(),
    });
    for (const [id, createdAt] of living)
      if (!containers.has(id) && !disturbed.has('Synchronize'))
        add('NRI-01', id, `Synchronize does not show plugin ${plugin} an existing container`, [
          createdAt,
          line,
        ]);
  };

  const asked = (entry: EntryOf<'nri'>, line: number) => {
    const { plugin, connection, method, container, shows, updates = [], failure, details } = entry;
    const key = faultKey(`nri:${method}`, container?.id);
    if (faulty.delete(key)) {
      disturbed.add(method);
      return;
    }
    if (failure === 'timeout' || failure === 'protocol')
      add('NRI-05', plugin, `plugin ${plugin} does not answer ${method}: ${details}`, [line]);
    if (shows !== undefined) {
      const before = shown.get(connection) ?? new Map<string, Known>();
      for (const id of shows) before.set(id, { step: Number.NEGATIVE_INFINITY, line, isSeen: true });
      shown.set(connection, before);
      forgetOldest(shown);
    }
    const known = plugins.get(connection);
    if (known === undefined) return;
    for (const id of updates) {
      const goneAt = known.gone.get(id);
      if (goneAt !== undefined)
        add('NRI-04', id, `plugin ${plugin} updates a container that it knows to be removed`, [goneAt, line]);
    }
    if (container?.id !== undefined) step(known, method, container.id, line, add);
  };

  return {
    plugged: (entry, line) => {
      if (entry.kind === 'nri') asked(entry, line);
      else if (entry.what === 'synchronized') came(entry, line);
      else plugins.delete(entry.connection);
    },
    faulted: ({ method = '', container }) => {
      if (method.startsWith('nri:')) {
        faulty.add(faultKey(method, container?.id));
        forgetOldest(faulty);
      }
    },
    lived: (entry, line) => {
      const id = entry.kind === 'container' ? entry.container?.id : undefined;
      if (id === undefined) return;
      if (entry.what === 'ended' || entry.what === 'removed') living.delete(id);
      if (entry.what !== 'created') return;
      living.set(id, line);
      forgetOldest(living);
      if (disturbed.has('CreateContainer')) return;
      for (const { name, events, containers, line: since } of plugins.values())
        if (events.has('CreateContainer') && !containers.get(id)?.isSeen)
          add('NRI-01', id, `plugin ${name} is connected and does not see the creation of a container`, [
            since,
            line,
          ]);
    },
    forget: () => {
      plugins.clear();
      shown.clear();
      living.clear();
    },
  };
}

type Add = (rule: PluginRule, about: string, message: string, lines: readonly number[]) => void;

/** A request about a container: its place in the order, and what the plugin knows after it. */
function step(plugin: Connected, method: string, id: string, line: number, add: Add): void {
  const { name, containers, gone } = plugin;
  const before = containers.get(id);
  const next = ORDER[method];
  if (method === 'CreateContainer' && (before?.isSeen || gone.has(id))) {
    add('NRI-02', id, `plugin ${name} sees the creation of a container twice`, [
      before?.line ?? gone.get(id) ?? 0,
      line,
    ]);
    return;
  }
  const isLate = gone.has(id) || (next !== undefined && before !== undefined && next < before.step);
  if (isLate && (next !== undefined || ANY_TIME.includes(method)))
    add('NRI-03', id, `plugin ${name} gets ${method} after a later step of the container`, [
      gone.get(id) ?? before?.line ?? 0,
      line,
    ]);
  if (next === undefined) return;
  containers.set(id, { step: next, line, isSeen: method === 'CreateContainer' || before?.isSeen === true });
  if (method === 'RemoveContainer') {
    containers.delete(id);
    gone.set(id, line);
    forgetOldest(gone);
  }
}

const faultKey = (method: string, container = ''): string => `${method} ${container}`;
