import { expect, test } from 'vitest';
import type { Clock } from '../../../base/clock/clock.js';
import { createRealClock } from '../../../base/clock/real-clock.js';
import { turn } from '../../../base/clock/turn.js';
import type { PluginPerturbation } from './perturbation.js';
import type { PluginProgram } from './program.js';
import type { PluginRuntime } from './runtime.js';
import { Trouble } from './trouble.js';

const operation = { name: 'create web/app', method: 'CreateContainer', run: async () => {} };

/** A plugin whose host learns of its end and its beginning later than the one who ends and starts it. */
function rig(schedule: readonly PluginPerturbation[], clock: Clock = createRealClock(), connects = true) {
  let connected: { name: string }[] = [];
  const listeners = new Set<() => void>();
  const become = async (name?: string) => {
    await turn();
    connected = name === undefined ? [] : [{ name }];
    for (const listener of listeners) listener();
  };
  const plugins = {
    connected: () => connected,
    onChange: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  let starts = 0;
  const program = {
    start: () => {
      if (connects) void become(`start ${++starts}`);
    },
    kill: async () => {
      void become();
    },
  };
  const runtime = { plugins, addFault: () => {} } as unknown as PluginRuntime;
  const wait = { clock, limit: 1000 };
  return {
    trouble: new Trouble(program as unknown as PluginProgram, runtime, schedule, wait),
    names: () => connected.map(({ name }) => name),
  };
}

test('a plugin that was killed is not taken for the one that is started then', async () => {
  const { trouble, names } = rig([{ kind: 'cut', at: 0, for: 0 }]);
  await trouble.begin();
  await trouble.before(0, operation);
  expect(names()).toEqual(['start 2']);
});

test('a plugin that does not come back is waited for once', async () => {
  let sleeps = 0;
  const clock = { sleep: async () => void sleeps++ } as unknown as Clock;
  const { trouble } = rig([], clock, false);
  await trouble.begin();
  for (let turn = 0; turn < 3; turn++) await trouble.after(operation);
  expect(sleeps).toBe(1);
  expect(trouble.missing).toBe('the plugin is not connected within 1s at the beginning');
});
