// Makes the single executable .build/mockri-PLATFORM-ARCH for this platform: Node with the built program, its production
// dependencies, dockerode, the proto files, the scenarios and the schemas inside. Run `npm run build` first.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serialize } from 'node:v8';
import { gzipSync } from 'node:zlib';
import { inject } from 'postject';

const root = fileURLToPath(new URL('../../', import.meta.url));
const output = join(root, '.build', `mockri-${process.platform}-${process.arch}`);
const work = `${output}.parts`;
/** Marks the place in Node's executable (Node's documentation, single executable applications). */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

if (!existsSync(join(root, 'dist/src/cli/main.js'))) fail('there is no dist/: run npm run build first');
mkdirSync(work, { recursive: true });
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const packages = new Set();
for (const name of [...Object.keys(dependencies), 'dockerode']) collect(name, root);
const files = [
  ...['package.json', 'LICENSE'].map((file) => join(root, file)),
  ...['dist', 'proto', 'scenarios', 'schemas'].flatMap((directory) => filesIn(join(root, directory))),
  join(root, 'src/kubelet/hosts/virtual/overlay/virtual_time_linux.go'),
  ...[...packages].flatMap(filesIn),
].filter(
  (file) => !/\.(map|d\.[cm]?ts|tsbuildinfo)$|\/(test|tests|docs|example|examples)\/.*\.js$/.test(file),
);
const archive = gzipSync(serialize(files.map((file) => [relative(root, file), readFileSync(file)])), {
  level: 9,
});
writeFileSync(join(work, 'program.gz'), archive);
const config = {
  main: join(root, 'deploy/binary/main.cjs'),
  output: join(work, 'blob'),
  disableExperimentalSEAWarning: true,
  assets: { program: join(work, 'program.gz') },
};
writeFileSync(join(work, 'sea.json'), JSON.stringify(config));
run(process.execPath, ['--experimental-sea-config', join(work, 'sea.json')]);

copyFileSync(process.execPath, output);
chmodSync(output, 0o755);
const isMac = process.platform === 'darwin';
if (isMac) run('codesign', ['--remove-signature', output]);
// postject warns of sections without a name, which it does not touch.
const { warn } = console;
console.warn = () => {};
await inject(output, 'NODE_SEA_BLOB', readFileSync(join(work, 'blob')), {
  sentinelFuse: FUSE,
  ...(isMac && { machoSegmentName: 'NODE_SEA' }),
});
console.warn = warn;
if (isMac) run('codesign', ['--sign', '-', output]);
rmSync(work, { recursive: true });
process.stdout.write(
  `${relative(process.cwd(), output)}: ${files.length} files inside, ${archive.length >> 10} KiB\n`,
);

/** A package and what it needs. Optional dependencies are native parts, which nothing here needs. */
function collect(name, from) {
  const directory = find(name, from);
  if (directory === undefined) fail(`${name} is not installed: run npm ci first`);
  if (packages.has(directory)) return;
  packages.add(directory);
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
    readFileSync(join(directory, 'package.json'), 'utf8'),
  );
  for (const each of Object.keys(dependencies)) if (!(each in optionalDependencies)) collect(each, directory);
}

/** As Node looks for a package: in node_modules of each directory upwards. */
function find(name, from) {
  for (let at = from; at.startsWith(root.slice(0, -1)); at = join(at, '..')) {
    const directory = join(at, 'node_modules', name);
    if (existsSync(join(directory, 'package.json'))) return directory;
  }
  return undefined;
}

/** The files of a directory; a package's own packages are collected by themselves. */
function filesIn(directory) {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesIn(path);
    return entry.isFile() ? [path] : [];
  });
}

function run(command, args) {
  const { status } = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) fail(`${command} ended with ${status}`);
}

function fail(message) {
  process.stderr.write(`build-binary: ${message}\n`);
  process.exit(1);
}
