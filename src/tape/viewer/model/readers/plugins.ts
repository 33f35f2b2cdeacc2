import { counted } from '../../../../base/input/counted.js';
import type { Lanes } from '../lanes.js';
import { containerLabel, durationText, podKey } from '../names.js';
import type { Item, LineOf } from '../timeline.js';
import { lost, type Readers } from './readers.js';

/** A lane for each plugin name, with a bar for each connection and a dot for each request. */
export function pluginReaders({ lanes }: { readonly lanes: Lanes }) {
  const connected = new Map<number, Item>();
  const laneOf = (plugin: string) => lanes.lane('plugin', '', `plugin ${plugin}`);
  return {
    plugin: (entry, line) => {
      const { t, plugin, connection } = entry;
      if (entry.what === 'lost') return lost(connected, entry, line);
      const text = `Plugin ${plugin} is connected`;
      const item = { t, end: undefined, shape: 'bar', tone: 'idle', label: plugin, text, line } as const;
      connected.set(connection, lanes.add(laneOf(plugin), item));
    },
    nri: (entry, line) => {
      const { t, plugin, method: label, failure } = entry;
      const tone = failure === undefined ? 'good' : failure === 'status' ? 'warn' : 'bad';
      const shape = failure === undefined ? 'dot' : 'cross';
      lanes.add(laneOf(plugin), { t, end: t, shape, tone, label, text: textOf(entry), line });
    },
  } satisfies Readers;
}

/** `CreateContainer of default/web/app took 1.2ms; adjusts env` */
function textOf({ method, pod, container, took, details, adjusts, updates, shows }: LineOf<'nri'>): string {
  const about = [podKey(pod), container && containerLabel(container)].filter(Boolean).join('/');
  return [
    `${method}${about === '' ? '' : ` of ${about}`} took ${durationText(took)}`,
    ...(shows ? [`shows ${counted(shows.length, 'container')}`] : []),
    ...(adjusts ? [`adjusts ${adjusts.join(', ')}`] : []),
    ...(updates ? [`updates ${counted(updates.length, 'container')}`] : []),
    ...(details === undefined ? [] : [details]),
  ].join('; ');
}
