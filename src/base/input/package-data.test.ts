import { expect, test } from 'vitest';
import { z } from 'zod';
import { packageData } from './package-data.js';

test('data that the package ships is read through its schema', () => {
  expect(packageData('package.json', z.looseObject({ name: z.string() })).name).toBe('mockri');
});

test('data that is not as its schema says names its file and field', () => {
  expect(() => packageData('package.json', z.looseObject({ name: z.number() }))).toThrow(
    /package\.json.*name/,
  );
});
