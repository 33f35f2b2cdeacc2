import * as nodeModule from 'node:module';

// Caches compiled code (Node 22.8 and later) of everything loaded after this call; the rest is in a separate module.
(nodeModule as { enableCompileCache?: () => unknown }).enableCompileCache?.();
const { run } = await import('./run.js');
await run(process.argv.slice(2));
