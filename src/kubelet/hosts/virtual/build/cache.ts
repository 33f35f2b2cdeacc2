import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { UserError } from '../../../../base/input/user-error.js';
import { overlayText } from '../overlay/overlay.js';
import { minorOf } from './module.js';

const manifestSchema = z.object({
  program: z.string(),
  /** Package of a module that is not Kubernetes', without its version. */
  module: z.string().optional(),
  /** Version of Kubernetes or of the module, such as 1.37.2. */
  version: z.string(),
  /** For example go1.26.8. */
  go: z.string(),
  /** Hash of the edits and of the code that they call. */
  overlay: z.string(),
  sha256: z.string(),
  bytes: z.number(),
  seconds: z.number(),
  built: z.string(),
});

/** Named as for `go install`. */
export const modulePackageSchema = z
  .string()
  .regex(
    /^[\w.~-]+\.[\w.~-]+(\/[\w.~-]+)*@v[\w.+-]+$/,
    'expected a package of Go and its version, such as "example.com/operator/cmd@v1.2.3"',
  );

export type Manifest = z.output<typeof manifestSchema>;

export interface BuiltProgram extends Manifest {
  readonly file: string;
  /** Whether this version of Mockri would build it the same way. */
  readonly isCurrent: boolean;
}

/** Where built programs are stored, each in its own directory, such as `kubelet-1.37.2`. */
export function cacheDirectory(environment: NodeJS.ProcessEnv = process.env): string {
  const base = environment.XDG_CACHE_HOME;
  return join(base?.startsWith('/') ? base : join(homedir(), '.cache'), 'mockri', 'kubelets');
}

export const MANIFEST = 'manifest.json';

/** Two programs built with this version of Go and the same hash have the same virtual time. */
export const overlayHash = (go: string): string => createHash('sha256').update(overlayText(go)).digest('hex');

/** Oldest version first. */
export function builtPrograms(directory = cacheDirectory()): readonly BuiltProgram[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) => readBuilt(join(directory, name)) ?? [])
    .sort((a, b) => a.program.localeCompare(b.program) || compareVersions(a.version, b.version));
}

function readBuilt(directory: string): BuiltProgram | undefined {
  try {
    const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(directory, MANIFEST), 'utf8')));
    const file = join(directory, manifest.program);
    return existsSync(file) ? { ...manifest, file, isCurrent: isCurrent(manifest) } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the edits for its Go version are still those that it was built with. */
function isCurrent({ overlay, go }: Manifest): boolean {
  try {
    return overlay === overlayHash(go);
  } catch {
    return false;
  }
}

/** Compares numerically: 1.9.10 is newer than 1.9.9. */
export function compareVersions(a: string, b: string): number {
  const [x, y] = [a, b].map((version) => version.split('.').map(Number));
  return [0, 1, 2].map((part) => (x?.[part] ?? 0) - (y?.[part] ?? 0)).find((difference) => difference) ?? 0;
}

/** Finds a stored program; `1.37` selects its newest patch version. Undefined if it must be built. */
export function findBuilt(
  program: string,
  version: string,
  directory = cacheDirectory(),
): BuiltProgram | undefined {
  return builtPrograms(directory)
    .filter((built) => built.program === program && built.module === undefined && built.isCurrent)
    .filter((built) => built.version === version || `1.${minorOf(built.version)}` === version)
    .at(-1);
}

/** Finds the stored program of a module, named as for `go install`: package, `@v` and version. */
export function builtModule(name: string, directory = cacheDirectory()): BuiltProgram | undefined {
  const [module, version] = name.split('@v');
  return builtPrograms(directory).find(
    (built) => built.module === module && built.version === version && built.isCurrent,
  );
}

/** The stored kubelet of a version. Throws a UserError that says how to build it. */
export function builtKubelet(version: string, directory = cacheDirectory()): BuiltProgram {
  const built = findBuilt('kubelet', version, directory);
  if (built !== undefined) return built;
  const others = builtPrograms(directory).filter(
    ({ program, isCurrent }) => program === 'kubelet' && isCurrent,
  );
  const known =
    others.length === 0 ? 'none is built' : `built: ${others.map((each) => each.version).join(', ')}`;
  throw new UserError(
    `kubelet ${version} is not built for virtual time (${known}): run mockri kubelet-build --version ${version}`,
  );
}
