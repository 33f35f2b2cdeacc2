import { expect, test } from 'vitest';
import { lookUp, readKnownOfKubernetes } from './known.js';

test('an entry counts for what fits its kind, up to the kubelet that no longer has it', () => {
  const known = lookUp([
    { kind: 'same-pace | *', why: 'no events', fixed: '1.37' },
    { kind: '* | clock skewed*', why: 'clocks are synchronized' },
  ]);
  expect(known('same-pace | event lost', '1.36')?.why).toBe('no events');
  expect(known('same-pace | event lost', '1.37')).toBeUndefined();
  expect(known('same-pace | clock skewed by 1h', '1.37')?.why).toBe('clocks are synchronized');
  expect(known('one-instance | exit 1', '1.30')).toBeUndefined();
});

test('the file that ships names issues and versions; two kinds that are both needed are not known', () => {
  const known = readKnownOfKubernetes();
  const kind = 'shows-truth | event out of order GetContainerEvents';
  expect(known(kind, '1.36')).toMatchObject({ issue: 'kubernetes #125018', fixed: '1.37' });
  expect(known(kind, '1.37')).toBeUndefined();
  expect(known(`${kind} | exit 1`, '1.36')).toBeUndefined();
});
