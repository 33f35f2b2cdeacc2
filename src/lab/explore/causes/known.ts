import { z } from 'zod';
import { fitsParts } from '../../../base/input/glob.js';
import { packageData } from '../../../base/input/package-data.js';
import { readTextFile } from '../../../base/input/text-file.js';
import { parseYaml } from '../../../base/input/yaml.js';
import { type KnownEntry, knownEntrySchema } from './known-entry.js';

const knownSchema = z.strictObject({ known: z.array(knownEntrySchema) });

/** The file of known behavior of Kubernetes that ships, from the root of the package. */
const SHIPPED = 'scenarios/known/kubernetes.yaml';

/** The entry of a kind of finding with a version of the kubelet, such as `1.36`; undefined for one that is not known. */
export type KnownFindings = (kind: string, version: string) => KnownEntry | undefined;

/** Reads the file of accepted findings. Throws InputError with file and line of a mistake. */
export function readKnown(file: string): KnownFindings {
  return lookUp(parseYaml(readTextFile(file, '--known'), knownSchema, file).known);
}

/** Finds the entry of a kind. One that is gone in a version is not known there: what happens again is something new. */
export function lookUp(known: readonly KnownEntry[]): KnownFindings {
  const entries = known.map((entry) => ({ parts: entry.kind.split('*'), entry }));
  return (kind, version) =>
    entries.find(({ parts, entry }) => fitsParts(parts, kind) && !isFixed(entry, version))?.entry;
}

const isFixed = ({ fixed }: KnownEntry, version: string): boolean =>
  fixed !== undefined && minorOf(version) >= minorOf(fixed);

const minorOf = (version: string): number => Number(version.split('.')[1]);

/** Reads what is known of Kubernetes itself: of single kinds of perturbations, because two that are both needed are something new. */
export function readKnownOfKubernetes(): KnownFindings {
  const behavior = lookUp(packageData(SHIPPED, knownSchema).known);
  return (kind, version) => (kind.split(' | ').length > 2 ? undefined : behavior(kind, version));
}

/** In words: why, where it was reported, and where it is gone. */
export const knownText = ({ why, issue, fixed }: Omit<KnownEntry, 'kind'>): string =>
  [why, ...(issue === undefined ? [] : [issue]), ...(fixed === undefined ? [] : [`gone in ${fixed}`])].join(
    ', ',
  );
