import { expect, test } from 'vitest';
import fc from '../../../../test/support/properties.js';
import { humanDuration } from '../../../kubelet/status/human-duration.js';
import { parseAge } from './age.js';

test('an age that kubectl prints is read as a span with the true time in it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 400 * 86_400 }), (seconds) => {
      const span = parseAge(humanDuration(seconds * 1000));
      expect(span?.from).toBeLessThanOrEqual(seconds);
      expect(span?.to).toBeGreaterThan(seconds);
    }),
  );
});

test('the unit that was left out', () => {
  expect(parseAge('2m5s')).toEqual({ from: 125, to: 126 });
  expect(parseAge('12m')).toEqual({ from: 720, to: 780 });
  expect(parseAge('1/1')).toBeUndefined();
});
