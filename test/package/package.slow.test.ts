import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { beforeAll, expect, test } from 'vitest';
import { useTemporaryDirectory } from '../support/temporary.js';

// The installed package: packed from the build (`npm test` builds before), in a directory with only its declared
// dependencies.

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const home = useTemporaryDirectory();
const installed = join(home, 'node_modules', manifest.name);
let tarball = '';
let files: readonly string[] = [];
let sizes = { packed: 0, unpacked: 0 };

beforeAll(async () => {
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', home], {
    cwd: root,
  });
  const [packed] = JSON.parse(stdout);
  tarball = join(home, packed.filename);
  sizes = { packed: packed.size, unpacked: packed.unpackedSize };
  files = packed.files.map((file: { path: string }) => file.path);
  mkdirSync(installed, { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  for (const name of Object.keys(manifest.dependencies)) {
    const link = join(home, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), link);
  }
});

test('publint finds no problem', async () => {
  const { messages, pkg } = await publint({ pkgDir: installed, strict: true, pack: false });
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
});

test('its types resolve for ES modules', async () => {
  const attw = join(root, 'node_modules/.bin/attw');
  // It exits with 1 if it finds a problem.
  await expect(run(attw, [tarball, '--profile', 'esm-only', '--no-color'])).resolves.toBeDefined();
});

test('it contains only the program, its data and its documents', () => {
  const kinds = new Set(
    files.map((file) => file.replace(/^(dist|docs|proto|scenarios|schemas)\/.*(\.[a-z]+)$/, '$1/**$2')),
  );
  expect([...kinds].sort()).toEqual([
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'LICENSE',
    'README.md',
    'dist/**.cjs',
    'dist/**.html',
    'dist/**.js',
    'dist/**.json',
    'dist/**.ts',
    'dist/**.txt',
    'dist/**.yaml',
    'docs/**.md',
    'package.json',
    'proto/**.json',
    'proto/**.proto',
    'scenarios/**.yaml',
    'schemas/**.json',
    // npm packs each README next to what it packs.
    'src/kubelet/README.md',
    'src/kubelet/hosts/virtual/overlay/virtual_time_linux.go',
  ]);
  expect(files.filter((file) => file.includes('.test.'))).toEqual([]);
});

test('it stays small', () => {
  const MEGABYTE = 1e6;
  expect(sizes.packed).toBeLessThan(3.2 * MEGABYTE);
  expect(sizes.unpacked).toBeLessThan(13 * MEGABYTE);
});

test('every export can be imported with only the declared dependencies', async () => {
  const names = Object.keys(manifest.exports).filter((name) => name !== './package.json');
  const imports = names.map((name) => `await import('${manifest.name}${name.slice(1)}');`).join('\n');
  const imported = run(process.execPath, ['--input-type=module', '-e', imports], { cwd: home });
  await expect(imported).resolves.toMatchObject({ stdout: '' });
});

test('the command runs', async () => {
  const main = join(installed, manifest.bin.mockri);
  const { stdout } = await run(process.execPath, [main, '--version']);
  expect(stdout.trim()).toBe(manifest.version);
});

test('a search has its threads', async () => {
  const pod = join(home, 'pod.json');
  const containers = [{ name: 'app', image: 'nginx:1' }];
  const manifest = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: { containers } };
  writeFileSync(pod, JSON.stringify(manifest));
  writeFileSync(join(home, 'saw.txt'), 'NAME READY STATUS RESTARTS AGE\nweb 1/1 Running 0 5s\n');
  const options = ['--saw', join(home, 'saw.txt'), '--budget', '20', '--json'];
  const main = join(installed, 'dist/src/cli/main.js');
  const { stdout } = await run(process.execPath, [main, 'reproduce', pod, ...options]);
  expect(JSON.parse(stdout)).toMatchObject({ causes: [{ fit: 1 }] });
});

test('it has no install scripts', () => {
  const hooks = ['preinstall', 'install', 'postinstall'];
  expect(hooks.filter((hook) => hook in manifest.scripts)).toEqual([]);
});

test('npm installs no native parts with it', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: true; devOptional?: true; peer?: true; hasInstallScript?: true }>;
  };
  const runs = Object.entries(packages).filter(
    ([, entry]) => !(entry.dev || entry.devOptional || entry.peer),
  );
  expect(runs.length).toBeGreaterThan(20);
  expect(runs.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path)).toEqual([
    // Compares version numbers in JavaScript.
    'node_modules/protobufjs',
  ]);
});

test('the Docker backend says that it needs dockerode', async () => {
  const main = join(installed, manifest.bin.mockri);
  const failure = run(process.execPath, [main, 'serve', '--backend', 'docker', '--control', 'off'], {
    env: { ...process.env, NODE_PATH: '' },
  });
  await expect(failure).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--backend docker needs the package dockerode'),
  });
});
