import { z } from 'zod';
import { fitsParts } from '../input/glob.js';
import { readTextFile } from '../input/text-file.js';
import { parseYaml } from '../input/yaml.js';

const knownSchema = z.strictObject({
  known: z.array(
    z.strictObject({
      /** As the explanation of a finding has it; `*` matches anything. */
      kind: z.string().min(1),
      /** Why it is accepted. */
      why: z.string().min(1),
    }),
  ),
});

/** Says why a kind of finding is accepted; undefined for one that is not. */
export type KnownFindings = (kind: string) => string | undefined;

/** Reads the file of accepted findings. Throws InputError with file and line of a mistake. */
export function readKnown(file: string): KnownFindings {
  const { known } = parseYaml(readTextFile(file, '--known'), knownSchema, file);
  const entries = known.map(({ kind, why }) => ({ parts: kind.split('*'), why }));
  return (kind) => entries.find(({ parts }) => fitsParts(parts, kind))?.why;
}
