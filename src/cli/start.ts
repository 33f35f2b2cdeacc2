import * as nodeModule from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadBundle } from './bundle.js';

// Caches compiled code (Node 22.8 and later) of everything loaded after this call; the rest is in separate modules.
(nodeModule as { enableCompileCache?: () => unknown }).enableCompileCache?.();
const args = process.argv.slice(2);
setOwnProto(args);
try {
  const bundle = loadBundle(fileURLToPath(new URL('run.cjs', import.meta.url)));
  const { run } = (bundle as typeof import('./run.js') | undefined) ?? (await import('./run.js'));
  await run(args);
} catch (error) {
  // The modules read the file of --proto when they are loaded.
  if (!(error instanceof Error && error.name === 'InputError')) throw error;
  process.stderr.write(`mockri: ${error.message}\n`);
  process.exitCode = 2;
}

/** Sets the variable of `--proto`, which threads and processes of the command inherit. */
function setOwnProto(args: readonly string[]): void {
  const at = args.findIndex((arg) => arg === '--proto' || arg.startsWith('--proto='));
  const path = args[at]?.split('=').slice(1).join('=') || args[at + 1];
  if (at >= 0 && path !== undefined) process.env.MOCKRI_PROTO = resolve(path);
}
