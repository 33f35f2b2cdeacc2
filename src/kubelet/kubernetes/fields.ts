import { z } from 'zod';

/**
 * Makes the schema of an object: `strict` refuses fields that it does not name, for files that people write;
 * `tolerant` drops them, for the objects of an API server that is newer than this project.
 */
export type Fields = <T extends z.core.$ZodLooseShape>(
  shape: T,
) => z.ZodObject<z.core.util.Writeable<T>, z.core.$strip>;

/** See `Fields`. */
export const strict: Fields = (shape) => z.strictObject(shape);
/** See `Fields`. */
export const tolerant: Fields = (shape) => z.object(shape);

/** A schema that is made once for each kind of fields: the same schema is then the same object wherever it is used. */
export function once<S>(make: (fields: Fields) => S): (fields: Fields) => S {
  const made = new Map<Fields, S>();
  return (fields) => {
    const schema = made.get(fields) ?? make(fields);
    made.set(fields, schema);
    return schema;
  };
}

/** Entries of a schema for fields that are valid and not read. They are no part of the type. */
export const ignored = (names: readonly string[]): object =>
  Object.fromEntries(names.map((name) => [name, z.unknown().optional()]));

/** A value whose fields can't be changed, at any depth. */
export type Fixed<T> = T extends readonly (infer E)[]
  ? readonly Fixed<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Fixed<T[K]> }
    : T;

/** What a schema of this model makes of an object. */
export type Read<S extends (fields: Fields) => z.ZodType> = Fixed<z.output<ReturnType<S>>>;
