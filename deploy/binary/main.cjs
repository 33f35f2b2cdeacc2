// What the single executable runs: unpacks the program that it carries into the user's cache, once for each build, and
// starts it there. An executable cannot import modules from itself (Node 20, single executable applications).
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const { homedir, tmpdir } = require('node:os');
const { dirname, join } = require('node:path');
const { getRawAsset } = require('node:sea');
const { pathToFileURL } = require('node:url');
const { deserialize } = require('node:v8');
const vm = require('node:vm');
const { gunzipSync } = require('node:zlib');

/** The directory of the unpacked program. Without a cache that can be written, one that ends with the process. */
function unpacked() {
  const archive = Buffer.from(getRawAsset('program'));
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'mockri');
  const target = join(cache, createHash('sha256').update(archive).digest('hex').slice(0, 16));
  if (isOwn(target)) return target;
  try {
    for (const directory of [dirname(cache), cache]) makeDirectory(directory);
    const fresh = fs.mkdtempSync(`${target}-`);
    unpack(archive, fresh);
    place(fresh, target);
    return target;
  } catch {
    const own = fs.mkdtempSync(join(tmpdir(), 'mockri-program-'));
    process.once('exit', () => fs.rmSync(own, { recursive: true, force: true }));
    unpack(archive, own);
    return own;
  }
}

/** Not the missing parents too: Node tries that without end below /proc. */
function makeDirectory(directory) {
  try {
    fs.mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
}

/** Whether the directory is there and nobody else can have written it. */
function isOwn(directory) {
  const stats = fs.lstatSync(directory, { throwIfNoEntry: false });
  return stats?.isDirectory() && stats.uid === process.getuid() && (stats.mode & 0o022) === 0;
}

function unpack(archive, directory) {
  for (const [path, content] of deserialize(gunzipSync(archive))) {
    const file = join(directory, path);
    fs.mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    fs.writeFileSync(file, content);
  }
}

/** Another process may unpack at the same time: its result is as good. */
function place(fresh, target) {
  try {
    fs.renameSync(fresh, target);
  } catch (error) {
    fs.rmSync(fresh, { recursive: true, force: true });
    if (!isOwn(target)) throw error;
  }
}

/** An import by the loader of the main program. Node calls this option experimental at each start. */
function importer() {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  const script = new vm.Script('(url) => import(url)', {
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const load = script.runInThisContext();
  return (url) => {
    const loading = load(url);
    process.emitWarning = emitWarning;
    return loading;
  };
}

const main = join(unpacked(), 'dist/src/cli/main.js');
process.argv[1] = main;
importer()(pathToFileURL(main).href).catch((error) => {
  process.stderr.write(`mockri: ${error.stack}\n`);
  process.exit(1);
});
