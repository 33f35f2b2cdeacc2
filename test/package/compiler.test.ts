import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const compiler = fileURLToPath(new URL('../../compiler.mjs', import.meta.url));

/** The compiler on a platform, as JSON. */
async function compilerOn(platform: string): Promise<string[]> {
  const script = `
    Object.defineProperty(process, 'platform', { value: '${platform}' });
    const { compiler } = await import('${compiler}');
    console.log(JSON.stringify(compiler));
  `;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script]);
  return JSON.parse(stdout);
}

test('the JavaScript compiler is used where the native one lacks a program for the platform', async () => {
  expect(await compilerOn('haiku')).toEqual([process.execPath, 'node_modules/typescript/bin/tsc']);
  expect(await compilerOn(process.platform)).toHaveLength(1);
});
