import { expect, test } from 'vitest';
import { humanDuration } from './human-duration.js';

test.each([
  [0, '0s'],
  [-500, '0s'],
  [119_999, '119s'],
  [120_000, '2m'],
  [200_000, '3m20s'],
  [599_000, '9m59s'],
  [600_000, '10m'],
  [3 * 3_600_000, '3h'],
  [3 * 3_600_000 + 60_000, '3h1m'],
  [8 * 3_600_000 + 60_000, '8h'],
  [49 * 3_600_000, '2d1h'],
  [9 * 24 * 3_600_000, '9d'],
  [2 * 365 * 24 * 3_600_000 + 24 * 3_600_000, '2y1d'],
])('%d ms is %s in kubectl', (milliseconds, text) => expect(humanDuration(milliseconds)).toBe(text));
