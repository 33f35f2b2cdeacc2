import { readFileSync } from 'node:fs';
import { packagePath } from './package-path.js';

/** The version in package.json. */
export const packageVersion = (): string =>
  (JSON.parse(readFileSync(packagePath('package.json'), 'utf8')) as { version: string }).version;
