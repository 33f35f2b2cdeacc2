import { z } from 'zod';
import { fitsParts } from '../input/glob.js';
import { readTextFile } from '../input/text-file.js';
import { parseYaml } from '../input/yaml.js';
import { knownBehavior } from './causes/known-behavior.js';

const entrySchema = z.strictObject({
  /** As the explanation of a finding has it; `*` matches anything. */
  kind: z.string().min(1),
  /** Why it is so, or why it is accepted. */
  why: z.string().min(1),
  /** Where it was reported, such as `kubernetes #23636`. */
  issue: z.string().min(1).optional(),
  /** The first version of the kubelet without it. */
  fixed: z
    .string()
    .regex(/^\d+\.\d+$/, 'expected a version such as 1.37')
    .optional(),
});

const knownSchema = z.strictObject({ known: z.array(entrySchema) });

/** A kind of finding that is known. */
export type KnownEntry = Readonly<z.infer<typeof entrySchema>>;

/** The entry of a kind of finding; undefined for one that is not known. */
export type KnownFindings = (kind: string) => KnownEntry | undefined;

/** Reads the file of accepted findings. Throws InputError with file and line of a mistake. */
export function readKnown(file: string): KnownFindings {
  return lookUp(parseYaml(readTextFile(file, '--known'), knownSchema, file).known);
}

function lookUp(known: readonly KnownEntry[]): KnownFindings {
  const entries = known.map((entry) => ({ parts: entry.kind.split('*'), entry }));
  return (kind) => entries.find(({ parts }) => fitsParts(parts, kind))?.entry;
}

const behavior = lookUp(knownBehavior);

/** What is known of Kubernetes itself: of single kinds of perturbations, because two of them that are both needed are something else. */
export const knownOfKubernetes: KnownFindings = (kind) =>
  kind.split(' | ').length > 2 ? undefined : behavior(kind);

/** In words: why, where it was reported, and where it is gone. */
export const knownText = ({ why, issue, fixed }: Omit<KnownEntry, 'kind'>): string =>
  [why, ...(issue === undefined ? [] : [issue]), ...(fixed === undefined ? [] : [`gone in ${fixed}`])].join(
    ', ',
  );
