import type { Instances } from '../instances.js';
import type { Lanes } from '../lanes.js';
import { podKey } from '../names.js';
import type { States } from '../states.js';
import type { Readers } from './readers.js';

interface Parts {
  readonly lanes: Lanes;
  readonly states: States;
  readonly instances: Instances;
}

export function lifecycleReaders({ lanes, states, instances }: Parts) {
  const sandboxes = new Map<string, string | undefined>();
  return {
    container: (entry, line) => {
      const { t, pod, container, what, exitCode, reason } = entry;
      if (container === undefined) return;
      const instance = instances.of(pod, container);
      if (what === 'created') instances.created(instance, { t, line });
      else if (what === 'started') instances.started(instance, { t, line });
      else if (what === 'ended') instances.ended(instance, { t, line }, { exitCode, reason });
      else instances.removed(instance, { t, line });
    },
    sandbox: ({ t, pod, what }, line) => {
      const key = podKey(pod);
      // A pod may have a new sandbox before its old one is gone.
      if (what !== 'ready' && sandboxes.has(key) && sandboxes.get(key) !== pod.id) return;
      const lane = lanes.lane('sandbox', key, 'sandbox');
      if (what === 'removed') {
        sandboxes.delete(key);
        return states.over(lane, t, line);
      }
      sandboxes.set(key, pod.id);
      const tone = what === 'ready' ? 'good' : 'idle';
      states.set(lane, { label: what, tone, text: `The sandbox of ${key} is ${what}` }, t, line);
    },
  } satisfies Readers;
}
