import { expect, test } from 'vitest';
import type { Candidate } from '../catalog/catalog.js';
import { scheduleId } from '../catalog/perturbation.js';
import { createSearch, type SearchOptions } from './search.js';

const candidate = (id: string, state: string, more: Partial<Candidate['perturbation']> = {}): Candidate => ({
  state,
  perturbation: {
    id,
    kind: id,
    family: 'f',
    text: id,
    pod: '',
    at: 0,
    until: 0,
    rules: [],
    steps: [],
    ...more,
  },
});
const options: SearchOptions = { seed: 1, depth: 2, only: [], shard: { index: 0, of: 1 } };
const singles = [candidate('a', 's'), candidate('b', 's'), candidate('c', 't', { family: 'g' })];
const ids = (search: ReturnType<typeof createSearch>, count: number) => search.take(count).map(scheduleId);

test('singles come first, then pairs in states where the second kind was not tried', () => {
  const search = createSearch(singles, options);
  expect(ids(search, 3)).toEqual(['a', 'b', 'c']);
  const next = [candidate('b', 's'), candidate('b', 'new', { at: 9 }), candidate('b', 'new', { at: 10 })];
  search.learn([singles[0]?.perturbation as Candidate['perturbation']], { states: ['s', 'new'], next });
  expect(ids(search, 1)).toEqual(['a + b']);
  expect(search.coverage).toBe(2);
});

test('perturbations of two pods are no pair', () => {
  const search = createSearch([candidate('a', 's', { pod: 'one' })], { ...options, depth: 2 });
  const [first] = search.take(1);
  search.learn(first ?? [], {
    states: [],
    next: [candidate('b', 'new', { pod: 'two' }), candidate('c', 'new', { pod: 'one' })],
  });
  expect(ids(search, 9)).toEqual(['a + c']);
});

test('then random schedules are drawn, equal ones for equal seeds, each once', () => {
  const drawn = (seed: number) => {
    const search = createSearch(singles, { ...options, seed });
    search.take(3);
    return ids(search, 3);
  };
  expect(drawn(1)).toEqual(drawn(1));
  expect(new Set(drawn(1)).size).toBe(3);
  expect(drawn(1).every((id) => id.includes(' + '))).toBe(true);
});

test('with depth 1 the search ends with the singles', () => {
  expect(ids(createSearch(singles, { ...options, depth: 1 }), 9)).toHaveLength(3);
});

test('--only takes families and parts of kinds', () => {
  expect(ids(createSearch(singles, { ...options, depth: 1, only: ['g', 'A'] }), 9)).toEqual(['a', 'c']);
});

test('shards share the singles', () => {
  const of = (index: number) =>
    ids(createSearch(singles, { ...options, depth: 1, shard: { index, of: 2 } }), 9);
  expect([...of(0), ...of(1)].sort()).toEqual(['a', 'b', 'c']);
});

test('what was saved is continued', () => {
  const search = createSearch(singles, options);
  search.take(2);
  const again = createSearch(singles, options, JSON.parse(JSON.stringify(search.save())));
  expect(ids(again, 3)).toEqual(ids(search, 3));
});
