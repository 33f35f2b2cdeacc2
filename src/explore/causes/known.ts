import { z } from 'zod';
import { fitsParts } from '../../input/glob.js';
import { readTextFile } from '../../input/text-file.js';
import { parseYaml } from '../../input/yaml.js';
import { knownBehavior } from './known-behavior.js';
import { type KnownEntry, knownEntrySchema } from './known-entry.js';

const knownSchema = z.strictObject({ known: z.array(knownEntrySchema) });

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
