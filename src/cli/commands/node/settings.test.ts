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

test('the time of the nodes is real, or up to a thousand times as fast', () => {
  expect([read().clock, read('--clock', 'fast:1000').clock]).toEqual(['real', 'fast:1000']);
  expect(() => read('--clock', 'fast:0')).toThrow('--clock: expected real, or fast:1 to fast:1000');
});

test('a taint that is something else is an error that names it', () => {
  expect(() => read('--taints', 'busy')).toThrow('--taints[0]: expected KEY=VALUE:EFFECT; given "busy"');
  expect(() => read('--taints', 'busy:Sometimes')).toThrow(/--taints\[0\]\.effect: .*NoSchedule/);
});

test('a label or annotation that no API server takes is an error that names it', () => {
  expect(read('--labels', 'a.b/c-d=E_f,empty=').labels).toEqual({ 'a.b/c-d': 'E_f', empty: '' });
  expect(read('--annotations', 'a.b/c=any text').annotations).toEqual({ 'a.b/c': 'any text' });
  expect(() => read('--labels', 'a b=c')).toThrow(/^--labels\.a b: expected a name such as /);
  expect(() => read('--labels', 'A.b/c=d')).toThrow(/^--labels\.A\.b\/c: expected a name such as /);
  expect(() => read('--labels', 'a=b c')).toThrow(/^--labels\.a: expected at most 63 letters, digits/);
  expect(() => read('--annotations', 'a b=c')).toThrow(/^--annotations\.a b: expected a name such as /);
});
