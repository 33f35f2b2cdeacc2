// Compiles src/ and adapters/ into dist/, and bundles the command: two hundred files and those of its packages take
// Node twice as long to load as a few.
//
// The new build replaces the old one by a rename, so that a command started at any time finds a whole build, and an
// interrupted build leaves the old one in place. With --if-changed, only when a source is newer than the build.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compiler } from './compiler.mjs';

process.chdir(fileURLToPath(new URL('.', import.meta.url)));
// `npx mockri` in a checkout runs the `prepare` script first. It must not build what `npm ci` has built.
if (
  process.env.npm_command === 'exec' &&
  process.env.npm_lifecycle_event === 'prepare' &&
  existsSync('dist/src/cli/main.js')
)
  process.exit(0);
if (process.argv.includes('--if-changed') && isBuilt()) process.exit(0);

const staging = `.build/${process.pid}`;
const [fresh, replaced] = [`${staging}/dist`, `${staging}/old`];
const cleanUp = () => rmSync(staging, { recursive: true, force: true });
process.on('exit', cleanUp);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

// `npm run typecheck` checks the types.
const [program, ...first] = compiler;
const { status } = spawnSync(
  program,
  [...first, '-p', 'tsconfig.build.json', '--noCheck', '--outDir', fresh],
  { stdio: 'inherit' },
);
if (status !== 0) process.exit(status ?? 1);
// Data lies next to the code that reads it (src/base/input/package-data.ts).
for (const name of readdirSync('src', { recursive: true }))
  if (/\.(json|yaml)$/.test(name) && !name.endsWith('tsconfig.json'))
    cpSync(`src/${name}`, `${fresh}/src/${name}`);
// The bundler is a native program, which npm may not have for this platform. The command then starts slower.
const bundler = await import('rolldown').catch(() => undefined);
if (bundler === undefined)
  process.stderr.write(
    'build: no bundler for this platform: the command is not bundled, and there is no timeline page\n',
  );
else {
  await bundle(`${fresh}/src/cli`);
  await makePage(`${fresh}/src/tape/viewer`);
  await compile(`${fresh}/src/cli`);
}
chmodSync(`${fresh}/src/cli/main.js`, 0o755);
replace('dist', fresh, replaced);

/** Whether nothing that is compiled, no directory and no package has changed since the build. */
function isBuilt() {
  if (!existsSync('dist/src/cli/main.js')) return false;
  const sources = ['src', 'adapters'].flatMap((directory) => [
    directory,
    ...readdirSync(directory, { recursive: true }).map((name) => `${directory}/${name}`),
  ]);
  const settings = [
    'build.mjs',
    'compiler.mjs',
    'package.json',
    'package-lock.json',
    'schemas/tape.schema.json',
    'tsconfig.json',
    'tsconfig.build.json',
  ];
  const relevant = [...settings, ...sources.filter((name) => !name.endsWith('.test.ts'))];
  const built = statSync('dist/src/cli/main.js').mtimeMs;
  return relevant.every((name) => statSync(name).mtimeMs <= built);
}

/**
 * Bundles run.js of a directory in place, its parts beside it, so that paths relative to a module stay true. Packages
 * that `serve` loads before its ready line are bundled too; the others are imported as ever. CommonJS takes Node less time
 * to load than modules, and start.js can give V8 the compiled code of it.
 */
async function bundle(directory) {
  const inside = /^(zod|commander|pino|@bufbuild\/protobuf|@grpc\/grpc-js|@grpc\/proto-loader)(\/|$)/;
  const modules = `${process.cwd()}/node_modules/`;
  const build = await bundler.rolldown({
    cwd: `${process.cwd()}/${directory}`,
    input: './run.js',
    platform: 'node',
    // What a bundled package imports is bundled with it.
    external: (id, importer) => /^[^./\0]/.test(id) && !inside.test(id) && !importer?.startsWith(modules),
  });
  const { output } = await build.generate({
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    comments: false,
    // Stack traces need the names of functions and classes, which stay; those of private members become short. Without white space Node needs a sixth less time to start.
    minify: {
      compress: false,
      mangle: { toplevel: false, keepNames: true },
      codegen: { removeWhitespace: true },
    },
  });
  await build.close();
  // The files that are now in the bundle; other entries of the package import none of them.
  const kept = ['main.js', 'start.js', 'bundle.js'];
  for (const name of readdirSync(directory))
    if (!kept.includes(name)) rmSync(`${directory}/${name}`, { recursive: true });
  for (const { fileName, code } of output) writeFileSync(`${directory}/${fileName}`, code);
  writeFileSync(`${directory}/licenses.txt`, licensesOf(output.flatMap(({ moduleIds }) => moduleIds)));
}

/** Runs a server of the bundle of a directory, which stops when it has loaded all parts, and keeps what V8 compiled. */
async function compile(directory) {
  const program = `import { loadBundle, writeCompiled } from './bundle.js';
    const scripts = new Map();
    const { run } = loadBundle('${process.cwd()}/${directory}/run.cjs', scripts);
    await run(['simulate', 'crash-loop-back-off']);
    await run(['serve', '--listen', 'tcp://127.0.0.1:0', '--control', '127.0.0.1:0', '--log-level', 'debug']);
    writeCompiled('.', scripts);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: directory,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  for await (const text of child.stderr.setEncoding('utf8'))
    if (/every part is loaded|a part cannot be loaded/.test(text)) child.kill('SIGTERM');
}

/**
 * Makes the timeline page: one file with style and script in it, which its content security policy names by their hash.
 * What stands between percent signs is filled in by src/tape/viewer/document.ts.
 */
async function makePage(directory) {
  const source = `${process.cwd()}/src/tape/viewer/page`;
  const build = await bundler.rolldown({
    input: `${source}/main.tsx`,
    platform: 'browser',
    plugins: [{ name: 'schema', transform: schemaForPage }],
  });
  const { output } = await build.generate({ format: 'iife', minify: true, comments: false });
  await build.close();
  const [{ code, moduleIds }] = output;
  const script = code.replaceAll('</script', '<\\/script').trim();
  const style = readFileSync(`${source}/style.css`, 'utf8')
    .replace(/\s*\n\s*/g, '')
    .trim();
  const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; img-src data:; connect-src %CONNECT%; base-uri 'none'; form-action 'none'`;
  const parts = { '%CSP%': policy, '%STYLE%': style, '%SCRIPT%': script };
  const template = readFileSync(`${source}/template.html`, 'utf8');
  const page = template.replace(/%(CSP|STYLE|SCRIPT)%/g, (name) => parts[name]);
  mkdirSync(directory, { recursive: true });
  writeFileSync(`${directory}/page.html`, page);
  writeFileSync(`${directory}/licenses.txt`, licensesOf(moduleIds));
}

/** A JSON schema without what the page doesn't check. */
function schemaForPage(code, id) {
  if (!id.endsWith('.schema.json')) return undefined;
  const unused = ['title', '$schema', 'description', 'pattern', 'maximum', 'propertyNames'];
  const short = JSON.stringify(JSON.parse(code), (key, value) =>
    unused.includes(key) || value === false ? undefined : value,
  );
  return short.replaceAll('#/definitions/__schema', '').replaceAll('__schema', '');
}

/** The licenses of the packages that these modules are from. */
function licensesOf(ids) {
  const packages = new Set(ids.flatMap((id) => /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []));
  return [...packages].sort().map(licenseOf).join('\n');
}

function licenseOf(directory) {
  const { name, version } = JSON.parse(readFileSync(`${directory}/package.json`, 'utf8'));
  const file = readdirSync(directory).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? '' : readFileSync(`${directory}/${file}`, 'utf8');
  return `${name} ${version}\n\n${text}`;
}

/** Renames a directory into place. Another build may do the same at this moment: the last one wins. */
function replace(target, source, old) {
  for (;;) {
    try {
      return renameSync(source, target);
    } catch (error) {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    }
    rmSync(old, { recursive: true, force: true });
    try {
      renameSync(target, old);
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
  }
}
