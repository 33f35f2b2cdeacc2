import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { timesOf } from '../../../../base/input/counted.js';
import { packageData } from '../../../../base/input/package-data.js';
import { packagePath } from '../../../../base/input/package-path.js';
import { UserError } from '../../../../base/input/user-error.js';

export interface Toolchain {
  /** Such as `go1.26.8`. */
  readonly version: string;
  readonly root: string;
}

/** Minor versions of Go that the edits support, and the release that builds code written for an earlier one. */
export const goVersions = { first: 22, firstRelease: '1.22.12', last: 26 } as const;

/** The file that is added to package runtime, relative to the package. */
const OWN = 'src/kubelet/hosts/virtual/overlay/virtual_time_linux.go';

/** Returns the minor version: 26 for `go1.26.8`. Throws UserError for an unsupported version. */
export function goMinor(version: string): number {
  const minor = Number(/^go1\.(\d+)/.exec(version)?.[1]);
  const { first, last } = goVersions;
  if (!(minor >= first && minor <= last))
    throw new UserError(`virtual time needs Go 1.${first} to 1.${last}; this is ${version}`);
  return minor;
}

/** Edits one file. Throws UserError with file, text and version if a text does not occur as often as it should. */
export function editText(
  text: string,
  file: string,
  version: string,
  all: readonly Edit[] = edits(),
): string {
  let edited = text;
  for (const { find, put, count = 1, ...edit } of editsFor(version, all)) {
    if (edit.file !== file) continue;
    const found = edited.split(find).length - 1;
    if (found !== count)
      throw new UserError(
        `${file} of ${version}: expected ${JSON.stringify(find)} ${timesOf(count)}, found it ${timesOf(found)}; the edits for virtual time don't fit this version of Go`,
      );
    edited = edited.replaceAll(find, put);
  }
  return edited;
}

function editsFor(version: string, all: readonly Edit[]): readonly Edit[] {
  const minor = goMinor(version);
  return all.filter(({ since = minor, until = minor }) => since <= minor && minor <= until);
}

/** Determines the overlay of a Go version: our file and the edits. Throws UserError for an unsupported version. */
export function overlayText(version: string, all: readonly Edit[] = edits()): string {
  const made = editsFor(version, all).map(({ since: _, until: __, ...edit }) => edit);
  return JSON.stringify([readFileSync(packagePath(OWN), 'utf8'), made]);
}

/** Writes the changed files of the toolchain's library into a directory. Returns the file for `go build -overlay`. */
export function writeOverlay({ version, root }: Toolchain, directory: string): string {
  const replaced: Record<string, string> = {};
  const put = (file: string, text: string) => {
    const target = join(directory, file);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
    replaced[join(root, 'src', file)] = target;
  };
  put(join('runtime', basename(OWN)), readFileSync(packagePath(OWN), 'utf8'));
  for (const file of new Set(edits().map((edit) => edit.file)))
    put(file, editText(readFileSync(join(root, 'src', file), 'utf8'), file, version));
  const overlay = join(directory, 'overlay.json');
  writeFileSync(overlay, JSON.stringify({ Replace: replaced }, undefined, 1));
  return overlay;
}

const editSchema = z.strictObject({
  file: z.string(),
  find: z.string(),
  put: z.string(),
  count: z.int().optional(),
  since: z.int().optional(),
  until: z.int().optional(),
});
export type Edit = Readonly<z.output<typeof editSchema>>;

const schema = z.record(z.string(), z.array(editSchema)).transform((parts) => Object.values(parts).flat());

export const edits = (): readonly Edit[] =>
  packageData('src/kubelet/hosts/virtual/overlay/edits.yaml', schema);
