import type { Header } from '../../../entries.js';
import { type Calls, EVENTS } from '../calls.js';
import type { Lanes } from '../lanes.js';
import type { Linker } from '../links.js';
import { containerLabel } from '../names.js';
import type { NodeStates } from '../states.js';
import { eventName, objectOf, type Statuses } from '../statuses.js';
import type { Item } from '../timeline.js';
import { lost, type Readers } from './readers.js';

interface Parts {
  readonly header: Header;
  readonly lanes: Lanes;
  readonly calls: Calls;
  readonly node: NodeStates;
  readonly statuses: Statuses;
  readonly linker: Linker;
}

export function callReaders({ header, lanes, calls, node, statuses, linker }: Parts) {
  const connections = new Map<number, Item>();
  return {
    call: (entry, line) => {
      if (calls.count === 0 && header.kubelet !== undefined) node.started(entry.t, line);
      const item = calls.begin(entry, line);
      statuses.asked(entry.call, entry.method, entry.pod, entry.container, entry.message);
      linker.call(entry, item);
    },
    reply: (entry, line) => {
      calls.finish(entry, line);
      node.answered(entry.method, entry, line);
      statuses.answered(entry, { t: entry.t, line });
    },
    end: (entry, line) => void calls.finish(entry, line),
    message: (entry, line) => {
      calls.message(entry.call);
      if (entry.method !== EVENTS) return;
      const { t, container, pod, message } = entry;
      const about = [pod?.name, container && containerLabel(container)].filter(Boolean).join('/');
      const label = message === undefined ? 'event' : eventName(entry.method, message);
      const lane = lanes.lane('stream', '', 'event stream');
      const text = `Container event ${label}${about === '' ? '' : ` of ${about}`}`;
      const item = lanes.add(lane, { t, end: t, shape: 'dot', tone: 'info', label, text, line });
      if (message === undefined) return;
      statuses.event(pod, message, { t, line });
      linker.event(objectOf(message).containerId, label, item);
    },
    connection: (entry, line) => {
      const { t, connection, peer } = entry;
      if (entry.what === 'lost') return lost(connections, entry, line);
      const lane = lanes.lane('connection', '', 'connections');
      const text = `Connection ${connection} of ${peer}`;
      const label = peer;
      const item = { t, end: undefined, shape: 'bar', tone: 'step', label, text, line } as const;
      connections.set(connection, lanes.add(lane, item));
    },
  } satisfies Readers;
}
