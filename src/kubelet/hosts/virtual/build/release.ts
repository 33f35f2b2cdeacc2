import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { UserError } from '../../../../base/input/user-error.js';
import { InputError } from '../../../../base/input/yaml.js';
import { kubeletVersions } from '../../../config/versions.js';
import { compareVersions } from './cache.js';
import { runGo } from './go.js';
import { KUBERNETES, linkerFlags, moduleFile, replacements } from './module.js';

export interface Sources {
  /** Where `go build` runs. */
  readonly directory: string;
  readonly package: string;
  readonly flags: readonly string[];
  /** Go version that it was written for, such as 1.26.5. */
  readonly go: string;
  /** What its `--version` prints. */
  readonly version: string;
}

/** Accepts `1.37.2`, or `1.37` for its newest release. */
export function checkVersion(version: string): string {
  const plain = version.replace(/^v/, '');
  const minor = /^1\.\d+(?=\.\d+$|$)/.exec(plain)?.[0];
  if (minor !== undefined && kubeletVersions.includes(minor)) return plain;
  throw new InputError([
    `--version: expected a release of Kubernetes from ${kubeletVersions[0]} to ${kubeletVersions.at(-1)}, such as ${kubeletVersions.at(-1)}.2 or ${kubeletVersions.at(-1)}; given ${JSON.stringify(version)}`,
  ]);
}

/** Newest release of a minor version on the module proxy; returns a full version unchanged. */
export async function resolveRelease(
  version: string,
  directory: string,
  signal: AbortSignal,
): Promise<string> {
  if (/^1\.\d+\.\d+$/.test(version)) return version;
  const newest = (await releasesOf(version, directory, signal)).at(-1);
  if (newest !== undefined) return newest;
  throw new UserError(
    `the Go module proxy names no release of Kubernetes ${version}; name one, such as ${version}.0`,
  );
}

async function releasesOf(minor: string, directory: string, signal: AbortSignal): Promise<readonly string[]> {
  const args = ['list', '-m', '-versions', '-json', KUBERNETES];
  const text = await runGo(args, { directory, signal, environment: { GOWORK: 'off' } });
  return versionsSchema
    .parse(JSON.parse(text))
    .Versions.map((each) => each.replace(/^v/, ''))
    .filter((each) => each.startsWith(`${minor}.`) && !each.includes('-'))
    .sort(compareVersions);
}

const versionsSchema = z.object({ Versions: z.array(z.string()).default([]) });

export async function fetchRelease(
  { version, program }: { readonly version: string; readonly program: string },
  directory: string,
  signal: AbortSignal,
): Promise<Sources> {
  const Dir = await download(version, directory, signal);
  const kubernetes = readFileSync(join(Dir, 'go.mod'), 'utf8');
  const own = join(directory, 'module');
  writeFileSync(join(own, 'go.mod'), moduleFile(kubernetes, version));
  return {
    directory: own,
    package: `${KUBERNETES}/${program.replace(/^\.\//, '')}`,
    flags: ['-mod=mod', '-tags', 'providerless', '-ldflags', `-s -w ${linkerFlags(version)}`],
    go: goVersionOf(Dir, kubernetes),
    version,
  };
}

/** A package of any module, named as for `go install`, which would refuse a module that replaces others. */
export async function fetchModule(module: string, directory: string, signal: AbortSignal): Promise<Sources> {
  const own = join(directory, 'module');
  const file = join(own, 'go.mod');
  const options = { directory: own, signal, environment: { GOWORK: 'off' } };
  writeFileSync(file, 'module mockri.dev/virtual-time\n');
  await runGo(['get', module], options);
  const [name = '', version = ''] = module.split('@v');
  const found = (await runGo(['list', '-mod=mod', '-f', '{{.Name}} {{.Module.Dir}}', name], options)).trim();
  const [, kind, source = ''] = /^(\S+) (.*)$/.exec(found) ?? [];
  if (kind !== 'main') throw new UserError(`${module} is the library ${kind}, not a program`);
  const written = readFileSync(join(source, 'go.mod'), 'utf8');
  // `go get` names the Go that ran it.
  const directives = /^(go \S+|toolchain \S+)\n/gm;
  const go = written.match(/^go \S+$/m)?.[0] ?? '';
  writeFileSync(
    file,
    `${readFileSync(file, 'utf8').replace(directives, '')}\n${go}\n${replacements(written)}`,
  );
  return {
    directory: own,
    package: name,
    flags: ['-mod=mod', '-ldflags', '-s -w'],
    go: goVersionOf(source, written),
    version,
  };
}

async function download(version: string, directory: string, signal: AbortSignal): Promise<string> {
  const args = ['mod', 'download', '-json', `${KUBERNETES}@v${version}`];
  try {
    return downloadSchema.parse(JSON.parse(await runGo(args, { directory, signal }))).Dir;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const others = await releasesOf(version.replace(/\.\d+$/, ''), directory, signal);
    throw new UserError(whyMissing(version, others, error.message));
  }
}

/** Explains a failed download; `others` are the releases of the minor version on the proxy. */
export function whyMissing(version: string, others: readonly string[], cause: string): string {
  if (others.includes(version)) return `Kubernetes ${version} could not be downloaded; try again. ${cause}`;
  const names = others.join(', ') || 'no release of this minor version';
  return `Kubernetes ${version} is not available from the Go module proxy, which names ${names}. ${cause}`;
}

const downloadSchema = z.object({ Dir: z.string() });

export function ownSources(source: string, program: string): Sources {
  let module: string;
  try {
    module = readFileSync(join(source, 'go.mod'), 'utf8');
  } catch (error) {
    throw new InputError([
      `--source: ${source} has no go.mod that can be read (${(error as NodeJS.ErrnoException).code})`,
    ]);
  }
  const version = versionOfTree(source);
  return {
    directory: source,
    package: program,
    flags: [
      '-tags',
      'providerless',
      '-ldflags',
      version === undefined ? '-s -w' : `-s -w ${linkerFlags(version)}`,
    ],
    go: goVersionOf(source, module),
    version: version ?? source,
  };
}

/** A program of Kubernetes says v0.0.0 unless it is built with its version. */
function versionOfTree(source: string): string | undefined {
  try {
    const text = readFileSync(join(source, 'staging/src/k8s.io/component-base/version/base.go'), 'utf8');
    const [, minor] = /DefaultKubeBinaryVersion += "(1\.\d+)"/.exec(text) ?? [];
    return minor && `${minor}.0-dev`;
  } catch {
    return undefined;
  }
}

/** Kubernetes has it in a file; other trees have it in go.mod. */
function goVersionOf(directory: string, module: string): string {
  try {
    return readFileSync(join(directory, '.go-version'), 'utf8').trim();
  } catch {
    const [, version = ''] = /^toolchain go(\S+)$/m.exec(module) ?? /^go (\S+)$/m.exec(module) ?? [];
    return version;
  }
}
