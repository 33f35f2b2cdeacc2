import { describe, expect, test } from 'vitest';
import { isThorough } from '../../../../test/support/thorough.js';
import { createVirtualClock } from '../../../base/clock/virtual-clock.js';
import { createRandom } from '../../../base/random/random.js';
import { parseFaultFile } from '../language/file.js';
import type { FaultInput } from '../language/rule-schema.js';
import { MOST_RULES } from '../language/schema.js';
import type { FaultSpec } from '../language/spec.js';
import { readRules, type WrittenRule } from '../language/written-rule.js';
import { FaultRegistry } from './registry.js';
import { Rule } from './rule.js';

const slow = test.runIf(isThorough);

test('a rule counts for the newest 10,000 pods', () => {
  const spec = read({
    match: { method: 'StopContainer' },
    when: { per: 'pod', times: 1 },
    then: { error: {} },
  })[0]?.spec;
  const rule = new Rule('once', spec as FaultSpec, createVirtualClock(), createRandom(1));
  const decide = (pod: number) => rule.decide(`default/${pod}`, () => ({ runtime: true, network: true }));
  for (let pod = 0; pod < 10_000; pod++) expect(decide(pod)).toBe(true);
  expect([decide(0), decide(9999)]).toEqual([false, false]);
  for (let pod = 10_000; pod < 10_010; pod++) expect(decide(pod)).toBe(true);
  expect([decide(10_009), decide(20), decide(0)]).toEqual([false, false, true]);
});

const createRegistry = () =>
  new FaultRegistry({
    clock: createVirtualClock(),
    seed: 1,
    conditions: () => ({ runtime: true, network: true }),
  });

const rules = (count: number): WrittenRule[] =>
  read(...Array.from({ length: count }, () => ({ match: { method: 'Version' }, then: { error: {} } })));

const read = (...inputs: FaultInput[]): WrittenRule[] => readRules(inputs, 'test');

describe('at most 1,000 rules are in force', () => {
  test('from all sources together', () => {
    const registry = createRegistry();
    registry.add(rules(MOST_RULES - 1), 'a.yaml');
    registry.add(rules(1), 'control');
    expect(registry.list()).toHaveLength(1000);
    const tooMany = /^control: 1001 rules would be in force; at most 1000 may be: remove some first/;
    expect(() => registry.add(rules(1), 'control')).toThrow(tooMany);
    expect(() => registry.put('more', rules(1)[0] as WrittenRule, 'control')).toThrow(tooMany);
    expect(() => registry.replaceSource(rules(2), 'pod default/web u1')).toThrow(/1002 rules would be/);
    expect(registry.list()).toHaveLength(1000);
  });

  test('and one rule can replace another, and a source its own rules', () => {
    const registry = createRegistry();
    registry.add(rules(MOST_RULES - 1), 'a.yaml');
    registry.put('last', rules(1)[0] as WrittenRule, 'control');
    registry.put('last', read({ then: { delay: '1s' } })[0] as WrittenRule, 'control');
    registry.replaceSource(rules(MOST_RULES - 1), 'a.yaml');
    expect(registry.list()).toHaveLength(1000);
  });

  test('and together they have no more than 16 MiB', () => {
    const registry = createRegistry();
    const long = read({ then: { error: { message: 'x'.repeat(1_000_000) } } });
    let count = 0;
    const addAll = () => {
      for (; count < 20; count++) registry.add(long, 'control');
    };
    expect(addAll).toThrow(/^control: the rules in force would have more than 16 MiB; remove some first/);
    expect(count).toBeGreaterThan(5);
    registry.remove(registry.list()[0]?.name ?? '');
    registry.add(long, 'control');
  });

  slow('and a file may have no more', () => {
    const file = (count: number) =>
      JSON.stringify({ version: 1, faults: rules(count).map(({ written }) => written) });
    expect(parseFaultFile(file(MOST_RULES), 'f').faults).toHaveLength(1000);
    expect(() => parseFaultFile(file(MOST_RULES + 1), 'f')).toThrow(/faults: expected at most 1000 elements/);
  });
});

describe('a name that is not there, or there already', () => {
  test('gives an error with the nearest one, or with its owner', () => {
    const registry = createRegistry();
    registry.add(read({ name: 'slow-start', then: { delay: '1s' } }), 'faults.yaml');
    expect(() => registry.remove('slow-strat')).toThrow(
      'no rule is called "slow-strat"; did you mean "slow-start"?',
    );
    expect(() => registry.add(read({ name: 'slow-start', then: { delay: '1s' } }), 'control')).toThrow(
      'control: a rule called "slow-start" already exists, from faults.yaml;',
    );
  });

  test('names no more rules than one can read', () => {
    const registry = createRegistry();
    registry.add(rules(40), 'control');
    expect(() => registry.remove('zzzzzz')).toThrow(/error-Version-25 and 15 more$/);
  });
});
