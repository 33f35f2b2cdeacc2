import { createHash } from 'node:crypto';
import {
  constants,
  copyFileSync,
  createReadStream,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { freemem } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../../../base/clock/clock.js';
import { makeDirectory } from '../../../../base/input/make-directory.js';
import { UserError } from '../../../../base/input/user-error.js';
import { writeOverlay } from '../overlay/overlay.js';
import {
  type BuiltProgram,
  builtModule,
  cacheDirectory,
  findBuilt,
  MANIFEST,
  type Manifest,
  overlayHash,
} from './cache.js';
import { chooseGo, installedGo, prepareToolchain, runGo } from './go.js';
import {
  checkVersion,
  fetchModule,
  fetchRelease,
  ownSources,
  resolveRelease,
  type Sources,
} from './release.js';

export interface BuildContext {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
  readonly directory?: string;
}

export interface BuildRequest {
  /** A release of Kubernetes; without it, a local tree is built. */
  readonly version?: string | undefined;
  readonly source?: string | undefined;
  /** A package of the module proxy and its version: `example.com/operator/cmd@v1.2.3`. */
  readonly module?: string | undefined;
  /** Package of the program, such as `./cmd/kubelet`; `.` is the tree itself. */
  readonly program: string;
  /** Target file. A program built from a tree is stored only there. */
  readonly out?: string | undefined;
}

const GIBIBYTE = 2 ** 30;
const SPACE = 4 * GIBIBYTE;
const MEMORY = 2 * GIBIBYTE;

/**
 * Builds a Go program with virtual time, or returns a stored one. Throws UserError for missing prerequisites and
 * compiler errors. Leaves nothing behind if the signal aborts.
 */
export async function buildProgram(request: BuildRequest, context: BuildContext): Promise<BuiltProgram> {
  const { directory = cacheDirectory() } = context;
  const version = request.version === undefined ? undefined : checkVersion(request.version);
  const kept = keptProgram({ ...request, version }, directory);
  const result = kept ?? (await build({ ...request, version }, context, directory));
  if (request.out === undefined || result.file === request.out) return result;
  copyFileSync(result.file, request.out, constants.COPYFILE_FICLONE);
  return { ...result, file: request.out };
}

function keptProgram(
  { version, module, ...request }: BuildRequest,
  directory: string,
): BuiltProgram | undefined {
  if (module !== undefined) return builtModule(module, directory);
  return version === undefined ? undefined : findBuilt(programName(request), version, directory);
}

async function build(request: BuildRequest, context: BuildContext, directory: string): Promise<BuiltProgram> {
  await makeDirectory(directory);
  removeAbandoned(directory);
  checkMachine(directory, context.progress);
  const work = mkdtempSync(join(directory, `.building-${process.pid}-`));
  // Go may leave files without write permission.
  try {
    mkdirSync(join(work, 'module'));
    return await buildIn(work, request, context, directory);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function buildIn(
  work: string,
  request: BuildRequest,
  { clock, signal, progress }: BuildContext,
  directory: string,
): Promise<BuiltProgram> {
  const begin = clock.elapsed();
  const installed = await installedGo(work, signal);
  const sources = await sourcesOf(request, work, { signal, progress });
  const chosen = chooseGo(installed, sources.go);
  progress(`${chosen}: ${chosen === installed ? 'installed' : 'getting it'}`);
  const toolchain = await prepareToolchain(chosen, work, signal);
  const overlay = writeOverlay(toolchain, join(work, 'overlay'));
  const name = programName(request);
  const made = join(work, 'made');
  mkdirSync(made);
  const file = join(made, name);
  await compile(sources, { file, overlay, toolchain, signal, progress });
  const manifest: Manifest = {
    program: name,
    module: request.module?.replace(/@.*/, ''),
    version: sources.version,
    go: toolchain.version,
    overlay: overlayHash(toolchain.version),
    sha256: await hashOf(file),
    bytes: statSync(file).size,
    seconds: Math.round((clock.elapsed() - begin) / 1000),
    built: new Date(Number(clock.now() / 1_000_000n)).toISOString(),
  };
  if (request.version === undefined && request.module === undefined) {
    const { out = '' } = request;
    moveFile(file, out);
    return { ...manifest, file: out, isCurrent: true };
  }
  writeFileSync(join(made, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`);
  const place = join(directory, `${(manifest.module ?? name).replaceAll('/', '+')}-${sources.version}`);
  rmSync(place, { recursive: true, force: true });
  renameSync(made, place);
  return { ...manifest, file: join(place, name), isCurrent: true };
}

/** Whether it names the tree, or a folder in it, as Go names packages. */
export const isPackage = (program: string): boolean =>
  program === '.' || /^\.(\/(?!\.{1,2}(\/|$))[\w.-]+)+$/.test(program);

/** `go build` uses the same name: the folder of the package, without `/v2` of a module. */
export function programName({ program, source = '', module }: BuildRequest): string {
  if (module !== undefined) return basename(module.replace(/@.*/, '').replace(/\/v\d+$/, ''));
  return basename(program === '.' ? source : program);
}

async function sourcesOf(
  { version, source, module, program }: BuildRequest,
  work: string,
  { signal, progress }: Pick<BuildContext, 'signal' | 'progress'>,
): Promise<Sources> {
  if (module !== undefined) {
    progress(`getting ${module}`);
    return fetchModule(module, work, signal);
  }
  if (version === undefined) return ownSources(source ?? '.', program);
  progress(`looking for Kubernetes ${version}`);
  const release = await resolveRelease(version, work, signal);
  progress(`getting Kubernetes ${release}`);
  return fetchRelease({ version: release, program }, work, signal);
}

interface Compilation extends Pick<BuildContext, 'signal' | 'progress'> {
  readonly file: string;
  readonly overlay: string;
  readonly toolchain: Awaited<ReturnType<typeof prepareToolchain>>;
}

async function compile(
  { directory, package: wanted, flags }: Sources,
  { file, overlay, toolchain, signal, progress }: Compilation,
): Promise<void> {
  const { program, environment } = toolchain;
  // A module generated for this build is independent; a tree may belong to a workspace.
  const options = { directory, signal, program, environment: { ...environment, ...alone(flags) } };
  const common = [...flags, '-overlay', overlay];
  progress('getting modules');
  const packages = await runGo(['list', '-deps', ...common, wanted], options);
  const total = packages.trim().split('\n').length;
  let done = 0;
  const line = (text: string) => {
    // Each line is a package that was compiled, or a message.
    if (!/^\S+$/.test(text)) return;
    done += 1;
    progress(`compiling: ${done} of at most ${total} packages`);
  };
  progress(`compiling: ${total} packages`);
  const build = ['build', '-v', '-trimpath', '-buildvcs=false', ...common, '-o', file, wanted];
  await runGo(build, { ...options, line });
}

const alone = (flags: readonly string[]): Readonly<Record<string, string>> =>
  flags.includes('-mod=mod') ? { GOWORK: 'off' } : {};

/** Reports missing prerequisites before anything begins. */
function checkMachine(directory: string, progress: (text: string) => void): void {
  if (process.platform !== 'linux')
    throw new UserError(`virtual time for programs needs Linux; this is ${process.platform}`);
  const { bavail, bsize } = statfsSync(directory);
  const gibibytes = (bytes: number) => `${(bytes / GIBIBYTE).toFixed(1)} GiB`;
  if (bavail * bsize < SPACE)
    throw new UserError(
      `${directory} has ${gibibytes(bavail * bsize)} of free space; a build needs ${gibibytes(SPACE)}`,
    );
  if (freemem() < MEMORY)
    progress(`${gibibytes(freemem())} of memory are free; the linker needs up to ${gibibytes(MEMORY)}`);
}

function removeAbandoned(directory: string): void {
  for (const name of readdirSync(directory)) {
    const pid = Number(/^\.building-(\d+)-/.exec(name)?.[1] ?? 0);
    if (pid > 0 && !isRunning(pid)) rmSync(join(directory, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Moves a file into place in one step, even from another file system. */
function moveFile(from: string, to: string): void {
  const near = join(dirname(to), `.${basename(to)}-${process.pid}`);
  copyFileSync(from, near);
  renameSync(near, to);
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
