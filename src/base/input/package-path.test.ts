import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { packagePath } from './package-path.js';

it('finds a file of the package from its root', () => {
  expect(JSON.parse(readFileSync(packagePath('package.json'), 'utf8'))).toMatchObject({ name: 'mockri' });
});

it('names what an installation lacks', () => {
  expect(() => packagePath('no/such-file')).toThrow('no/such-file is missing from this installation');
});
