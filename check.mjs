// What every change must pass, as `npm test [-- FILTER...]`: builds what is not built yet, then runs the tests, and beside
// them the checks of the sources, whose output is printed whole at their end.
import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('.', import.meta.url)));
const { status } = spawnSync(process.execPath, ['build.mjs', '--if-changed'], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);

const results = await Promise.all([
  run(
    'the tests',
    [process.execPath, 'node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)],
    'inherit',
  ),
  run('npm run lint', ['npm', 'run', '--silent', 'lint'], 'pipe'),
  run('npm run typecheck', ['npm', 'run', '--silent', 'typecheck'], 'pipe'),
]);
const failed = results.flatMap(({ name, code }) => (code === 0 ? [] : [name]));
if (failed.length > 0) console.error(`failed: ${failed.join(', ')}`);
process.exit(failed.length > 0 ? 1 : 0);

function run(name, [program, ...args], output) {
  const begin = Date.now();
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', output, output] });
    const chunks = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => chunks.push(chunk));
    child.on('error', (error) => chunks.push(Buffer.from(`${error.message}\n`)));
    child.on('close', (code) => {
      if (code !== 0) process.stderr.write(Buffer.concat(chunks));
      const seconds = Math.round((Date.now() - begin) / 1000);
      console.log(`${code === 0 ? 'ok     ' : 'FAILED '} ${name} (${seconds} s)`);
      resolve({ name, code });
    });
  });
}
