import type { Header, Line } from '../../entries.js';
import { Calls } from './calls.js';
import { Instances } from './instances.js';
import { Lanes } from './lanes.js';
import { createLinker } from './links.js';
import { momentsOf } from './moments.js';
import { callReaders } from './readers/calls.js';
import { faultReaders } from './readers/faults.js';
import { kubeletReaders } from './readers/kubelet.js';
import { lifecycleReaders } from './readers/lifecycle.js';
import { pluginReaders } from './readers/plugins.js';
import type { Readers } from './readers/readers.js';
import { NodeStates, States } from './states.js';
import { Statuses } from './statuses.js';
import type { Item, Timeline } from './timeline.js';

export interface TimelineBuilder {
  /** `line` starts at 2: the first one is the header. */
  add(entry: Line, line: number): void;
  timeline(): Timeline;
  /**
   * Forgets everything finished before a time, so that a growing picture needs bounded memory. Keeps the history of
   * pods and the node longer, up to `most` items. Returns the lines that the picture still shows.
   */
  forget(before: number, most: number): ReadonlySet<number>;
}

export function createTimelineBuilder(header: Header): TimelineBuilder {
  const lanes = new Lanes();
  const calls = new Calls(lanes);
  const states = new States(lanes);
  const node = new NodeStates(states, lanes);
  const instances = new Instances(lanes);
  const statuses = new Statuses(instances, BigInt(header.startedAt));
  const linker = createLinker(instances);
  let happened: (readonly [Line, number])[] = [];
  let end = 0;
  let lines = 1;

  const readers: Readers = {
    ...callReaders({ header, lanes, calls, node, statuses, linker }),
    ...faultReaders({ lanes, calls, linker }),
    ...lifecycleReaders({ lanes, states, instances }),
    ...kubeletReaders({ lanes, states, node }),
    ...pluginReaders({ lanes }),
  };

  return {
    add: (entry, line) => {
      lines = line;
      end = Math.max(end, entry.t);
      if (TOLD.has(entry.kind)) happened.push([entry, line]);
      if (!Object.hasOwn(readers, entry.kind)) return;
      (readers[entry.kind] as (entry: Line, line: number) => void)(entry, line);
    },
    timeline: () => {
      const all = lanes.all();
      const links = linker.links();
      const moments = momentsOf(happened, { lanes: all, instances: instances.all, failed: calls.failed });
      const { count, methods, codes } = calls;
      return { header, end, lanes: all, links, moments, calls: count, methods, codes, lines };
    },
    forget: (before, most) => {
      const kept = lanes.forget(before, most);
      const isKept = (item: Item) => kept.has(item);
      calls.keep(isKept);
      instances.keep(isKept);
      linker.keep(isKept);
      happened = happened.slice(-most);
      return new Set([...kept].flatMap(({ line, endLine = line }) => [line, endLine]));
    },
  };
}

const TOLD: ReadonlySet<Line['kind']> = new Set([
  'fault',
  'step',
  'kubelet',
  'pod',
  'event',
  'node',
  'row',
  'gap',
  'log',
  'plugin',
  'nri',
]);
