import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { useTemporaryDirectories } from '../support/temporary.js';
import { buf, root } from './descriptor.js';

const temporary = useTemporaryDirectories();

test('the generated code is up to date with the API definition', async () => {
  const directory = temporary();
  for (const template of ['buf.gen.yaml', 'buf.gen.nri.yaml'])
    await promisify(execFile)(buf, ['generate', '--template', template, '--output', directory], {
      cwd: root,
      env: { ...process.env, PATH: `${root}node_modules/.bin:${process.env.PATH}` },
    });
  await promisify(execFile)(process.execPath, [join(root, 'proto/map-entries.mjs'), directory]);
  for (const place of ['src/cri/gen', 'src/runtime/nri/gen'])
    expect(await readTree(join(directory, place))).toEqual(await readTree(join(root, place)));
});

/** All files below a directory by path. */
async function readTree(directory: string): Promise<Record<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = files
    .sort()
    .map(async (file) => [file.slice(directory.length + 1), await readFile(file, 'utf8')]);
  return Object.fromEntries(await Promise.all(texts));
}
