import * as nodeModule from 'node:module';

// Caches compiled code between starts if Node can (22.8 and later). It applies to everything loaded after this call, so
// the rest is in a separate module.
(nodeModule as { enableCompileCache?: () => unknown }).enableCompileCache?.();
const { run } = await import('./run.js');
await run(process.argv.slice(2));
