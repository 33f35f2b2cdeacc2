import { Command } from 'commander';
import { expect, test } from 'vitest';
import { addNodeSettings, readNodeSettings } from './settings.js';

const read = (...args: string[]) => {
  const command = new Command().exitOverride();
  addNodeSettings(command);
  return readNodeSettings(command.parse(args, { from: 'user' }).opts(), {});
};

test('taints are KEY=VALUE:EFFECT or KEY:EFFECT, separated by commas', () => {
  expect(read('--taints', 'mockri.dev/node=mock:NoSchedule,busy:NoExecute').taints).toEqual([
    { key: 'mockri.dev/node', value: 'mock', effect: 'NoSchedule' },
    { key: 'busy', effect: 'NoExecute' },
  ]);
});

test('a taint that is something else is an error that names it', () => {
  expect(() => read('--taints', 'busy')).toThrow('--taints[0]: expected KEY=VALUE:EFFECT; given "busy"');
  expect(() => read('--taints', 'busy:Sometimes')).toThrow(/--taints\[0\]\.effect: .*NoSchedule/);
});
