import { expect, test } from 'vitest';
import { rerunCommand } from './result.js';

test('the command that runs a check alone works in a checkout', () => {
  expect(rerunCommand({ endpoint: 'unix:///x', seed: 7, profile: 'strict' }, 'INV-01')).toBe(
    'npx mockri conformance --endpoint unix:///x --profile strict --seed 7 --focus INV-01',
  );
});
