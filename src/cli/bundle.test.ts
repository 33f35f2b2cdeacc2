import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import type { Script } from 'node:vm';
import { afterAll, expect, it } from 'vitest';
import { loadBundle, writeCompiled } from './bundle.js';

const root = mkdtempSync(join(tmpdir(), 'mockri-bundle-'));
afterAll(() => rmSync(root, { recursive: true }));

const written = join(root, 'written');
mkdirSync(written);
writeFileSync(
  join(written, 'run.cjs'),
  "exports.run = () => require('./part.cjs').part() + require('node:path').sep;",
);
writeFileSync(join(written, 'part.cjs'), "exports.part = () => 'part';");
writeFileSync(join(written, 'own.cjs'), "exports.load = () => import('node:path');");

/** Loads a copy, because Node keeps what it has loaded; with the names of the files whose compiled code V8 accepted. */
function loadCopy(name: string, entry = 'run.cjs') {
  const directory = join(root, name);
  cpSync(written, directory, { recursive: true });
  const scripts = new Map<string, Script>();
  const bundle = loadBundle(join(directory, entry), scripts) as Record<string, () => unknown>;
  const accepted = () =>
    [...scripts].flatMap(([file, script]) => (script.cachedDataRejected === false ? [file] : []));
  return { directory, bundle, scripts, accepted };
}

it('loads what was compiled of a bundle, and compiles it if another V8 did', () => {
  const first = loadCopy('first');
  expect(first.bundle.run?.()).toBe('part/');
  expect(first.accepted()).toEqual([]);
  loadBundle(join(first.directory, 'own.cjs'), first.scripts);
  writeCompiled(written, first.scripts);

  const second = loadCopy('second');
  expect(second.bundle.run?.()).toBe('part/');
  expect(second.accepted()).toEqual(['run.cjs', 'part.cjs']);

  writeFileSync(join(written, 'compiled'), serialize({ tag: 0, files: new Map() }));
  const third = loadCopy('third');
  expect(third.bundle.run?.()).toBe('part/');
  expect(third.accepted()).toEqual([]);
});

it('leaves files that import modules to Node, and knows no bundle in the sources', async () => {
  const { scripts } = loadCopy('importing', 'own.cjs');
  writeCompiled(written, scripts);
  const { directory } = loadCopy('importing-again', 'run.cjs');
  const { load } = loadBundle(join(directory, 'own.cjs')) as { load: () => Promise<object> };
  expect(await load()).toHaveProperty('sep', '/');
  expect(loadBundle(join(root, 'nothing', 'run.cjs'))).toBeUndefined();
});
