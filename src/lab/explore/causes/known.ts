import { z } from 'zod';
import { fitsParts } from '../../../base/input/glob.js';
import { packageData } from '../../../base/input/package-data.js';
import { readTextFile } from '../../../base/input/text-file.js';
import { parseYaml } from '../../../base/input/yaml.js';

const knownEntrySchema = z.strictObject({
  /** As in the explanation of a finding; `*` matches anything. */
  kind: z.string().min(1),
  why: z.string().min(1),
  /** Report, such as `kubernetes #23636`. */
  issue: z.string().min(1).optional(),
  /** First kubelet version without it. */
  fixed: z
    .string()
    .regex(/^\d+\.\d+$/, 'expected a version such as 1.37')
    .optional(),
});

type KnownEntry = Readonly<z.infer<typeof knownEntrySchema>>;

const knownSchema = z.strictObject({ known: z.array(knownEntrySchema) });

const SHIPPED = 'scenarios/known/kubernetes.yaml';

/** Looks up a kind of finding for a kubelet version such as `1.36`; undefined if it is unknown. */
export type KnownFindings = (kind: string, version: string) => KnownEntry | undefined;

/** Reads the file of accepted findings. Throws InputError with file and line. */
export function readKnown(file: string): KnownFindings {
  return lookUp(parseYaml(readTextFile(file, '--known'), knownSchema, file).known);
}

/** A kind that a version has fixed is unknown there: if it reappears, it is something new. */
export function lookUp(known: readonly KnownEntry[]): KnownFindings {
  const entries = known.map((entry) => ({ parts: entry.kind.split('*'), entry }));
  return (kind, version) =>
    entries.find(({ parts, entry }) => fitsParts(parts, kind) && !isFixed(entry, version))?.entry;
}

const isFixed = ({ fixed }: KnownEntry, version: string): boolean =>
  fixed !== undefined && minorOf(version) >= minorOf(fixed);

const minorOf = (version: string): number => Number(version.split('.')[1]);

/** Covers single kinds of perturbations only, because a finding that needs two is something new. */
export function readKnownOfKubernetes(): KnownFindings {
  const behavior = lookUp(packageData(SHIPPED, knownSchema).known);
  return (kind, version) => (kind.split(' | ').length > 2 ? undefined : behavior(kind, version));
}

export const knownText = ({ why, issue, fixed }: Omit<KnownEntry, 'kind'>): string =>
  [why, ...(issue === undefined ? [] : [issue]), ...(fixed === undefined ? [] : [`gone in ${fixed}`])].join(
    ', ',
  );
