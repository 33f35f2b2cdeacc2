import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { type Definition, describeProto, root } from './descriptor.js';

interface Item {
  since?: string;
  typeBefore?: string[];
  nameBefore?: string;
}

interface Reference {
  services: Record<string, { rpcs: Item[] }>;
  messages: Record<string, { fields: Item[] }>;
  enums: Record<string, { values: Item[] }>;
}

/** The reference without data that a descriptor does not have, such as history. */
async function readReference(): Promise<Definition> {
  const reference: Reference = JSON.parse(await readFile(`${root}proto/cri-v1.json`, 'utf8'));
  const timeless = (items: Item[]) => items.map(({ since, typeBefore, nameBefore, ...item }) => item);
  const each = <T>(of: Record<string, T>, items: (value: T) => Item[]) =>
    Object.fromEntries(Object.entries(of).map(([name, value]) => [name, timeless(items(value))]));
  return {
    services: each(reference.services, ({ rpcs }) => rpcs),
    messages: each(reference.messages, ({ fields }) => fields),
    enums: each(reference.enums, ({ values }) => values),
  };
}

test('the API definition matches Kubernetes in all names and numbers', async () => {
  const [definition, reference] = await Promise.all([describeProto(), readReference()]);
  expect(definition.services).toEqual(reference.services);
  expect(definition.messages).toEqual(reference.messages);
  expect(definition.enums).toEqual(reference.enums);
});

test('the API definition is complete', async () => {
  const { services, messages, enums } = await describeProto();
  expect(Object.values(services).flat()).toHaveLength(43);
  expect(Object.keys(messages)).toHaveLength(175);
  expect(Object.keys(enums)).toHaveLength(11);
});
