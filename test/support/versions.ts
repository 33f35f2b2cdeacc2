import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { parseYaml } from '../../src/base/input/yaml.js';

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

/** A program that Mockri is measured against; test/peers/versions.yaml explains its fields. */
export type Pin = z.infer<typeof pinSchema>;

/** The kinds of runs on a runtime, in the order of the matrix's columns. */
export const RUN_KINDS = ['rows', 'differential', 'conformance', 'critest', 'node-conformance'] as const;

const runSchema = z.strictObject({
  what: z.enum(RUN_KINDS),
  on: z.string().min(1),
  client: z.string().min(1).optional(),
  result: z.string().min(1),
  date: z.iso.date(),
});

const list = parseYaml(
  readFileSync(path, 'utf8'),
  z.strictObject({ version: z.literal(1), pins: z.array(pinSchema), runs: z.array(runSchema) }),
  'test/peers/versions.yaml',
);

/** The programs that Mockri is measured against, from `test/peers/versions.yaml`. */
export const pins: readonly Pin[] = list.pins;

/** The runs, from the same list. */
export const runs: readonly z.infer<typeof runSchema>[] = list.runs;
