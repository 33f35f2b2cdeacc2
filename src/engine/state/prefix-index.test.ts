import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PrefixIndex } from './prefix-index.js';

/** Few letters, so that prefixes collide. */
const ids = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 8 });

it('finds what a search through all ids finds', () => {
  fc.assert(
    fc.property(fc.uniqueArray(ids, { maxLength: 60 }), fc.array(ids), ids, (added, removed, prefix) => {
      const index = new PrefixIndex();
      for (const id of added) index.add(id);
      for (const id of removed) index.delete(id);
      const left = added.filter((id) => !removed.includes(id));
      const matching = left.filter((id) => id.startsWith(prefix));
      const found = index.find(prefix);
      if (left.includes(prefix)) expect(found).toEqual({ kind: 'unique', id: prefix });
      else if (matching.length === 1) expect(found).toEqual({ kind: 'unique', id: matching[0] });
      else expect(found.kind).toBe(matching.length === 0 ? 'none' : 'ambiguous');
    }),
  );
});

it('keeps its order over many blocks', () => {
  const index = new PrefixIndex();
  const all = Array.from({ length: 5000 }, (_, number) =>
    ((number * 7919) % 5000).toString(16).padStart(6, '0'),
  );
  for (const id of all) index.add(id);
  for (const id of all) expect(index.find(id)).toEqual({ kind: 'unique', id });
  for (const id of all.slice(0, 4990)) index.delete(id);
  for (const [position, id] of all.entries())
    expect(index.find(id).kind).toBe(position < 4990 ? 'none' : 'unique');
});
