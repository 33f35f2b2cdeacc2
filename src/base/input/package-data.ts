import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { packagePath } from './package-path.js';
import { checkInput, parseYaml } from './yaml.js';

/**
 * Data that the package ships, checked against its schema; `path` is from the root of the package. JSON is for what a start
 * reads: the reader of YAML takes time to load. Throws InputError if the installation is damaged.
 */
export function packageData<S extends z.ZodType>(path: string, schema: S): z.output<S> {
  const text = readFileSync(packagePath(path), 'utf8');
  return path.endsWith('.json') ? checkInput(JSON.parse(text), schema, path) : parseYaml(text, schema, path);
}
