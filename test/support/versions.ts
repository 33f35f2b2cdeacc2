import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { parseYaml } from '../../src/input/yaml.js';

const path = new URL('../peers/versions.yaml', import.meta.url);

const pinSchema = z.strictObject({
  program: z.string().min(1),
  version: z.string().regex(/^v\d+\.\d+\.\d+$/),
  module: z.string().optional(),
  package: z.string().optional(),
  suite: z.string().optional(),
  measured: z.string().min(1),
  date: z.iso.date(),
  until: z.iso.date().optional(),
  run: z.array(z.string()).min(1),
});

/** A program that Mockri is measured against; the file says what its fields mean. */
export type Pin = z.infer<typeof pinSchema>;

/** The list of `test/peers/versions.yaml`. */
export const pins: readonly Pin[] = parseYaml(
  readFileSync(path, 'utf8'),
  z.strictObject({ version: z.literal(1), pins: z.array(pinSchema) }),
  'test/peers/versions.yaml',
).pins;
