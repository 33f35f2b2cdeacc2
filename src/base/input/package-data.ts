import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { packagePath } from './package-path.js';
import { checkInput, parseYaml } from './yaml.js';

const known = new WeakMap<z.ZodType, Map<string, unknown>>();

/**
 * Data of the package, checked against a schema, and read once; `path` is relative to the package root. Data read at
 * startup is JSON, because loading the YAML parser takes time. Throws InputError if the installation is damaged.
 */
export function packageData<S extends z.ZodType>(path: string, schema: S): z.output<S> {
  const files = known.get(schema) ?? new Map<string, unknown>();
  known.set(schema, files);
  if (!files.has(path)) files.set(path, read(path, schema));
  return files.get(path) as z.output<S>;
}

function read<S extends z.ZodType>(path: string, schema: S): z.output<S> {
  const text = readFileSync(packagePath(path), 'utf8');
  return path.endsWith('.json') ? checkInput(JSON.parse(text), schema, path) : parseYaml(text, schema, path);
}
