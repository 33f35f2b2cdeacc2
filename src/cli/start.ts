import * as nodeModule from 'node:module';

// Keeps compiled code between starts where Node can (22.8 and later). It applies to what is loaded after this call, so
// everything else is in a separate module.
(nodeModule as { enableCompileCache?: () => unknown }).enableCompileCache?.();
const { run } = await import('./run.js');
await run(process.argv.slice(2));
