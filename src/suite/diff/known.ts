import { z } from 'zod';
import { globMatches } from '../../base/input/glob.js';
import { readTextFile } from '../../base/input/text-file.js';
import { parseYaml } from '../../base/input/yaml.js';
import { aspects, type TraceDifference } from './compare.js';

const glob = z.string().min(1);

const knownSchema = z.strictObject({
  method: glob.describe('The RPC; globs are allowed here and below.'),
  aspect: z.enum(aspects).optional(),
  field: z.string().optional(),
  left: glob.optional().describe('Reply of the first runtime, as in a report.'),
  right: glob.optional(),
  why: z.string().min(1).describe('The reason; reports show it.'),
});

/** A file of explained differences (`--known FILE`). */
const knownFileSchema = z.strictObject({ version: z.literal(1), known: z.array(knownSchema).max(1000) });

/** An explained difference: missing fields match all. */
export type Known = Readonly<z.output<typeof knownSchema>>;

/** Throws InputError with file and line of each mistake. */
export const readKnown = (file: string): readonly Known[] =>
  parseYaml(readTextFile(file, '--known'), knownFileSchema, file).known;

export const explain = (known: readonly Known[], difference: TraceDifference): Known | undefined =>
  known.find(
    ({ aspect, ...globs }) =>
      (aspect === undefined || aspect === difference.aspect) &&
      FIELDS.every((name) => {
        const wanted = globs[name];
        return wanted === undefined || globMatches(wanted, difference[name]);
      }),
  );

const FIELDS = ['method', 'field', 'left', 'right'] as const;
