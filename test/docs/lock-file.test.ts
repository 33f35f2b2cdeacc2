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
