import { dirname, resolve } from 'node:path';
import { Command } from 'commander';
import { createRealClock } from '../../base/clock/real-clock.js';
import { InputError } from '../../base/input/yaml.js';
import { inColumns } from '../../base/markup/columns.js';
import { oneLine } from '../../base/markup/terminal.js';
import { buildProgram, isPackage } from '../../kubelet/hosts/virtual/build/build.js';
import {
  type BuiltProgram,
  builtPrograms,
  cacheDirectory,
  modulePackageSchema,
} from '../../kubelet/hosts/virtual/build/cache.js';
import { addOptions, defineOptions, type OptionsOf } from '../options/define-options.js';
import { makeOutputDirectory } from '../output/output-directory.js';
import { withInterrupt } from '../signals.js';
import { createProgressLine } from '../terminal/progress-line.js';

const options = defineOptions({
  '--version <version>': { about: 'release of Kubernetes: 1.37.2, or 1.37 for its newest release' },
  '--source <directory>': { about: 'a source tree instead; needs --out', conflicts: ['version'] },
  '--module <package>': {
    about: 'a package of the Go module proxy instead, with its version',
    schema: modulePackageSchema,
    conflicts: ['version', 'source'],
  },
  '--program <package>': { about: 'package of the program in the source tree', default: './cmd/kubelet' },
  '--out <file>': { about: 'file for a copy of the program' },
  '--list': { about: 'list the programs in the cache', conflicts: ['version', 'source', 'module'] },
  '--json': { about: 'print JSON: the manifest of the program, or of all with --list' },
});
type Flags = OptionsOf<typeof options>;

const EXAMPLES = `
Examples:
  $ mockri kubelet-build --version 1.37.2
  $ mockri kubelet-build --version 1.37 --out ./kubelet       the newest release of 1.37, and a copy of it
  $ mockri kubelet-build --source ~/kubernetes --out ./kubelet
  $ mockri kubelet-build --version 1.37.2 --program ./cmd/kube-apiserver
  $ mockri kubelet-build --module github.com/ray-project/kuberay/ray-operator@v1.5.0
  $ mockri kubelet-build --list

A release or module is built once and cached in $XDG_CACHE_HOME/mockri/kubelets (default ~/.cache). A build takes minutes and 4 GiB of space,
and needs Go 1.21 or later and the Go module proxy; docs/kubelet.md has the times.

Exit code: 0 the program is built, 1 the build failed, 2 the command line is invalid, 130 or 143 after Ctrl-C or
SIGTERM, after which no incomplete program remains.
`;

/** `mockri kubelet-build`: builds a kubelet, or another program of Go, that runs on virtual time. */
export function kubeletBuildCommand(): Command {
  return addOptions(new Command('kubelet-build'), options)
    .description('build a real kubelet, or another program of Go, that runs on virtual time')
    .addHelpText('after', EXAMPLES)
    .action(async (flags: Flags) => {
      process.exitCode = flags.list ? list(flags) : await build(flags);
    });
}

function list({ json }: Flags): number {
  const programs = builtPrograms();
  if (json) print(JSON.stringify(programs, undefined, 2));
  else if (programs.length === 0) print(`none in ${cacheDirectory()}`);
  else print(inColumns([HEAD, ...programs.map(row)], '   ').join('\n'));
  return 0;
}

const HEAD = ['PROGRAM', 'VERSION', 'GO', 'SIZE', 'CURRENT', 'FILE'];
const row = ({ program, version, go, bytes, isCurrent, file }: BuiltProgram): readonly string[] =>
  [
    ...[program, version, go, `${Math.round(bytes / 2 ** 20)} MiB`],
    ...[isCurrent ? 'yes' : 'no: build it again', file],
  ].map(oneLine);

async function build({ version, source, module, program, out, json }: Flags): Promise<number> {
  if (version === undefined && source === undefined && module === undefined)
    throw new InputError(['specify --version, --source or --module; --list prints the stored programs']);
  if (source !== undefined && out === undefined) throw new InputError(['--source needs --out <file>']);
  if (!isPackage(program))
    throw new InputError([
      `--program: expected a package in the tree, such as ./cmd/kubelet, or . for the tree itself; given ${JSON.stringify(program)}`,
    ]);
  const file = out === undefined ? undefined : resolve(out);
  if (file !== undefined) await makeOutputDirectory(dirname(file), '--out');
  const clock = createRealClock();
  const line = createProgressLine(process.stderr, clock, { every: 100, elsewhere: 10_000 });
  const { result, interrupted } = await withInterrupt(async (signal) => {
    try {
      const request = { version, source: source && resolve(source), module, program, out: file };
      return await buildProgram(request, { clock, signal, progress: line.show });
    } catch (error) {
      if (!signal.aborted) throw error;
      return undefined;
    } finally {
      line.clear();
    }
  });
  if (result === undefined) return interrupted ?? 1;
  print(json ? JSON.stringify(result, undefined, 2) : result.file);
  return interrupted ?? 0;
}

const print = (text: string) => process.stdout.write(`${text}\n`);
