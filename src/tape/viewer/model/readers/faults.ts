import { counted } from '../../../../base/input/counted.js';
import { type Calls, EVENTS } from '../calls.js';
import type { Lanes } from '../lanes.js';
import type { Linker } from '../links.js';
import { containerLabel, podKey } from '../names.js';
import type { Readers } from './readers.js';

interface Parts {
  readonly lanes: Lanes;
  readonly calls: Calls;
  readonly linker: Linker;
}

/** Reads external actions: fault rules, steps of a scenario, pods that are gone; and gaps. */
export function faultReaders({ lanes, calls, linker }: Parts) {
  return {
    fault: (entry, line) => {
      const { t, rule, action, method, pod, container } = entry;
      const about = [podKey(pod), container && containerLabel(container)].filter(Boolean).join(' ');
      const on = `${method === undefined ? '' : ` on ${method}`}${about === '' ? '' : ` of ${about}`}`;
      const text = `Fault rule ${rule} fired: ${action}${on}`;
      const lane = lanes.lane('fault', '', 'faults and steps');
      const flag = {
        t,
        end: t,
        shape: 'flag',
        tone: 'fault',
        label: `${rule}: ${action}`,
        text,
        line,
      } as const;
      const item = lanes.add(lane, { ...flag, rules: [rule], ...(method && { method }) });
      linker.fault(item, calls.hit(entry));
      if (method !== EVENTS || action !== 'drop') return;
      const lost = { t, end: t, shape: 'cross', tone: 'bad', label: 'lost', line } as const;
      const words = `An event${about === '' ? '' : ` of ${about}`} is lost: fault rule ${rule}`;
      lanes.add(lanes.lane('stream', '', 'event stream'), { ...lost, text: words, rules: [rule] });
    },
    pod: ({ t, pod, what }, line) => {
      if (what !== 'gone') return;
      const text = `Pod ${podKey(pod)} is gone`;
      const lane = lanes.lane('fault', '', 'faults and steps');
      lanes.add(lane, { t, end: t, shape: 'flag', tone: 'step', label: text, text, line });
    },
    step: ({ t, text }, line) => {
      const lane = lanes.lane('fault', '', 'faults and steps');
      lanes.add(lane, { t, end: t, shape: 'flag', tone: 'step', label: text, text: `Step: ${text}`, line });
    },
    gap: ({ t, lost, text }, line) => {
      const lane = lanes.lane('fault', '', 'faults and steps');
      const words = `${counted(lost, 'entry is', 'entries are')} missing here: ${text}`;
      lanes.add(lane, { t, end: t, shape: 'flag', tone: 'bad', label: `gap: ${lost}`, text: words, line });
    },
  } satisfies Readers;
}
