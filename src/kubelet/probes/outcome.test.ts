import { expect, test } from 'vitest';
import { aContainer } from '../../../test/support/kubelet/objects.js';
import { resolvePort } from './outcome.js';

test('ports can be names, or numbers in text', () => {
  const container = aContainer({ ports: [{ name: 'web', containerPort: 8080, protocol: 'TCP' }] });
  expect(resolvePort('web', container)).toBe(8080);
  expect(resolvePort('81', container)).toBe(81);
  expect(() => resolvePort('db', container)).toThrow('strconv.Atoi: parsing "db": invalid syntax');
});
