import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type ApiLevel, apiLevels, availableSince, isAvailable, newestApiLevel } from './api-level.js';
import { type CriMethodName, criMethods } from './service.js';

interface Reference {
  readonly services: Record<string, { rpcs: { name: string; since?: string }[] }>;
}

const reference: Reference = JSON.parse(
  readFileSync(new URL('../../proto/cri-v1.json', import.meta.url), 'utf8'),
);
const rpcs = Object.values(reference.services).flatMap((service) => service.rpcs);
const methods = Object.keys(criMethods) as CriMethodName[];
const countAt = (level: ApiLevel) => methods.filter((method) => isAvailable(method, level)).length;

test('agrees with the reference on what each level has', () => {
  const lacking = rpcs.filter(({ since }) => since !== undefined && minor(since) > minor(apiLevels[0]));
  expect(availableSince).toEqual(
    Object.fromEntries(
      lacking.map(({ name, since }) => [name.charAt(0).toLowerCase() + name.slice(1), since]),
    ),
  );
});

test('counts the RPCs of the releases of cri-api', () => {
  expect(apiLevels.map(countAt)).toEqual([33, 33, 34, 34, 34, 34, 34, 35, 35, 35, 41, 43]);
  expect(newestApiLevel).toBe(apiLevels.at(-1));
});

const minor = (level: string): number => Number(level.split('.')[1]);
