import { readFileSync } from 'node:fs';
import { packagePath } from './package-path.js';

let known: string | undefined;

export function packageVersion(): string {
  known ??= (JSON.parse(readFileSync(packagePath('package.json'), 'utf8')) as { version: string }).version;
  return known;
}
