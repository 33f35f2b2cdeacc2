import { z } from 'zod';

export type Direction = 'input' | 'output';

export interface Names {
  /** Returns a reference to a schema, which gets this name unless it has one. */
  refer(schema: z.ZodType, direction: Direction, name: string): object;
  components(): Record<string, object>;
}

/** `known` names schemas of what clients receive. */
export function createNames(known: Readonly<Record<string, z.ZodType>>): Names {
  const registries = { input: z.registry<{ id: string }>(), output: z.registry<{ id: string }>() };
  for (const [id, schema] of Object.entries(known)) registries.output.add(schema, { id });
  return {
    refer: (schema, direction, name) => {
      const registry = registries[direction];
      if (!registry.has(schema)) registry.add(schema, { id: name });
      return { $ref: uri(registry.get(schema)?.id ?? name) };
    },
    components: () =>
      Object.fromEntries(
        [...schemasOf(registries.input, 'input'), ...schemasOf(registries.output, 'output')].sort(),
      ),
  };
}

const uri = (id: string): string => `#/components/schemas/${id}`;

function schemasOf(registry: z.core.$ZodRegistry<{ id: string }>, io: Direction): [string, object][] {
  const { schemas } = z.toJSONSchema(registry, { io, uri, target: 'draft-2020-12', unrepresentable: 'any' });
  return Object.entries(schemas).map(([id, { $schema, $id, ...schema }]) => [id, schema]);
}
