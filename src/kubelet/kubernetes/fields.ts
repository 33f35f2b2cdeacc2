import { z } from 'zod';

/**
 * Makes the schema of an object: `strict` refuses unknown fields, for files that people write; `tolerant` drops them,
 * for objects of an API server that is newer than this project; `open` keeps them, for a kubelet program that may know
 * them.
 */
export type Fields = <T extends z.core.$ZodLooseShape>(
  shape: T,
) => z.ZodObject<z.core.util.Writeable<T>, z.core.$strip>;

export const strict: Fields = (shape) => z.strictObject(shape);
export const tolerant: Fields = (shape) => z.object(shape);
export const open: Fields = (shape) => z.looseObject(shape) as never;

/** `ownKubelet`: a program runs as the kubelet, which may have fields that are unknown here. */
export const fieldsFor = ({ ownKubelet }: { readonly ownKubelet?: boolean | undefined }): Fields =>
  ownKubelet ? open : strict;

/** Makes a schema once for each kind of fields, so that all uses share the same object. */
export function once<S>(make: (fields: Fields) => S): (fields: Fields) => S {
  const made = new Map<Fields, S>();
  return (fields) => {
    const schema = made.get(fields) ?? make(fields);
    made.set(fields, schema);
    return schema;
  };
}

/** Schema entries for valid fields that are not read. The type does not contain them. */
export const ignored = (names: readonly string[]): object =>
  Object.fromEntries(names.map((name) => [name, z.unknown().optional()]));

/** Readonly at any depth. */
export type Fixed<T> = T extends readonly (infer E)[]
  ? readonly Fixed<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Fixed<T[K]> }
    : T;

export type Read<S extends (fields: Fields) => z.ZodType> = Fixed<z.output<ReturnType<S>>>;

/** The words of a text. */
export function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
