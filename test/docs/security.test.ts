import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Package {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly hasInstallScript?: boolean;
}

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Readonly<Record<string, Package>> };
const installed = Object.entries(packages).filter(([path]) => path !== '');

test('each package of the lock file has its hash, and no registry', () => {
  const wrong = installed.filter(
    ([, { integrity, resolved }]) => integrity === undefined || resolved !== undefined,
  );
  expect(wrong.map(([path]) => path)).toEqual([]);
});

test('SECURITY.md names each package with a script at installation', () => {
  const [releases = ''] = /^## Releases$[\s\S]*?(?=^Each release)/m.exec(read('SECURITY.md')) ?? [];
  for (const [path, { hasInstallScript }] of installed)
    if (hasInstallScript) expect(releases).toContain(`\`${path.replace(/.*node_modules\//, '')}\``);
});

const [promises = ''] = /^## What Mockri promises$[\s\S]*?(?=^## )/m.exec(read('SECURITY.md')) ?? [];

test.each(
  [...promises.matchAll(/^\d+\. [\s\S]*?(?=^\d+\. |\n\n)/gm)].map(([promise]) =>
    promise.replace(/\s+/g, ' '),
  ),
)('a promise names its tests: %s', (promise) => {
  // A file, and names of its tests as it spells them.
  const files = [...promise.matchAll(/`([^`]+\.test\.ts)`:((?:,? "[^"]+")+)/g)];
  expect(files.length).toBeGreaterThan(0);
  for (const [, file = '', names = ''] of files) {
    const text = read(file);
    for (const [, name = ''] of names.matchAll(/"([^"]+)"/g))
      expect(text.includes(name), `${file}: ${name}`).toBe(true);
  }
});

test('there are ten promises', () => expect(promises.match(/^\d+\. /gm)).toHaveLength(10));
