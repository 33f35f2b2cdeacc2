import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { cachedDataVersionTag, deserialize, serialize } from 'node:v8';
import { Script } from 'node:vm';

/** What V8 compiled of the files of a bundle; only the same V8, with the same flags on such a processor, reads it. */
interface Compiled {
  readonly tag: number;
  readonly files: ReadonlyMap<string, Buffer>;
}

const COMPILED = 'compiled';

/**
 * Loads the bundle that `npm run build` made of run.ts; undefined in the sources. With what the build compiled, this takes
 * half the time. `scripts` gets all of its files that are loaded, by their names.
 */
export function loadBundle(entry: string, scripts?: Map<string, Script>): unknown {
  if (!existsSync(entry)) return undefined;
  const directory = dirname(entry);
  const require = createRequire(entry);
  const files = readCompiled(join(directory, COMPILED));
  const { '.js': load } = require.extensions;
  require.extensions['.cjs'] = (module, file) => {
    const cachedData = files?.get(basename(file));
    if (dirname(file) !== directory || (cachedData ?? scripts) === undefined) return load?.(module, file);
    const source = readFileSync(file, 'utf8');
    const text = `(function (exports, require, module, __filename, __dirname) {${source}\n})`;
    const script = new Script(text, { filename: file, cachedData });
    scripts?.set(basename(file), script);
    const requires = (id: string): unknown => module.require(id);
    script.runInThisContext()(module.exports, requires, module, file, directory);
  };
  return require(entry);
}

function readCompiled(file: string): Compiled['files'] | undefined {
  if (!existsSync(file)) return undefined;
  const { tag, files }: Compiled = deserialize(readFileSync(file));
  return tag === cachedDataVersionTag() ? files : undefined;
}

/** Writes what V8 has compiled of the files of a bundle until now, which are functions that were called. */
export function writeCompiled(directory: string, scripts: ReadonlyMap<string, Script>): void {
  // Node lets no script import a module, except those that it loads itself.
  const own = [...scripts].filter(
    ([name]) => !/\bimport\(/.test(readFileSync(join(directory, name), 'utf8')),
  );
  const files = new Map(own.map(([name, script]) => [name, script.createCachedData()]));
  writeFileSync(
    join(directory, COMPILED),
    serialize({ tag: cachedDataVersionTag(), files } satisfies Compiled),
  );
}
