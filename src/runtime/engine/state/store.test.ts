import { expect, it } from 'vitest';
import fc from '../../../../test/support/properties.js';
import { Account } from '../../../base/input/account.js';
import { Encodings } from './encodings.js';
import { Collection } from './store.js';

/** Few letters, so that prefixes collide. */
const ids = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 8 });
const nothing = new Uint8Array();
const aRecord = (id: string) => ({
  id,
  encodings: new Encodings(nothing, nothing, nothing),
  labels: {},
  resources: undefined,
});

const collectionOf = (added: readonly string[]) => {
  const collection = new Collection<ReturnType<typeof aRecord>>('sandbox', new Account());
  for (const id of added) collection.add(aRecord(id));
  return collection;
};

it('finds by whole id or unique prefix', () => {
  fc.assert(
    fc.property(fc.uniqueArray(ids, { maxLength: 60 }), fc.array(ids), ids, (added, removed, prefix) => {
      const collection = collectionOf(added);
      for (const id of removed) collection.delete(aRecord(id));
      const left = added.filter((id) => !removed.includes(id));
      const [first, ...others] = left.filter((id) => id.startsWith(prefix)).sort();
      if (left.includes(prefix)) expect(collection.find(prefix)?.id).toBe(prefix);
      else if (others.length === 0) expect(collection.find(prefix)?.id).toBe(first);
      else
        expect(() => collection.find(prefix)).toThrow(
          `sandbox id prefix "${prefix}" is ambiguous: it matches ${first} and ${others[0]}; give more digits`,
        );
    }),
  );
});

it('cuts an endless id in the error', () => {
  expect(() => collectionOf(['a']).get('x'.repeat(1000))).toThrow(`sandbox "${'x'.repeat(80)}…" not found`);
});
