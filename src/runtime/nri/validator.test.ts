import { expect, test } from 'vitest';
import { refusal, type Validated } from './validator.js';

const required = (list: string, plugins: readonly string[] = []) =>
  refusal({}, {
    pod: { annotations: { 'required-plugins.noderesource.dev': list } },
    container: { id: 'c', name: 'app' },
    adjust: {},
    owners: { owner: () => undefined, entryOwners: () => ({}) },
    plugins,
  } as unknown as Validated);

test('the plugins that a pod requires are the words of a list', () => {
  const list = '[a, "b.c+d_e-f", -g.-]\n- h...\n- ... -';
  expect(required(list)).toBe('validation error: required plugins "a,b.c+d_e-f,-g,h" not present');
  expect(required(list, ['a', 'b.c+d_e-f', '-g', 'h'])).toBeUndefined();
});

test('a long list without words requires nothing', () => {
  // Read again from each of its characters, it would take hours.
  expect(required('.'.repeat(4_000_000))).toBeUndefined();
});
