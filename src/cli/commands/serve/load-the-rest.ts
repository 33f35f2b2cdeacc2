import * as nodeModule from 'node:module';
import { turn } from '../../../base/clock/turn.js';
import { loadRegexEngine } from '../../../base/input/regex.js';
import { loadYaml } from '../../../base/input/yaml-document.js';
import type { ServeSettings } from './settings.js';

/**
 * Loads modules that a server needs after its ready line, one at a time, so that calls can run in between. After that
 * it reads no more files of Mockri or its packages, so an update of the installation does not disturb it. The function
 * that calls `import()` at the place of use loads each part: an `import()` in another file would look for the file
 * again. Rejects if a file is missing.
 */
export async function loadTheRest({
  backend,
  control,
}: Pick<ServeSettings, 'backend' | 'control'>): Promise<void> {
  const parts: (() => unknown)[] = [loadYaml, loadRegexEngine];
  if (backend !== 'remote')
    parts.unshift(async () => (await import('../../../runtime/streaming/server.js')).loadSessions());
  if (backend === 'memory')
    parts.unshift(async () => (await import('../../../../adapters/memory/node.js')).loadCommandModule());
  if (control !== 'off') {
    parts.push(async () => (await import('../../../runtime/control/control-routes.js')).loadMetrics());
    parts.push(async () => (await import('../../../runtime/control/openapi-route.js')).loadOpenApi());
    parts.push(async () => (await import('../../../runtime/control/page.js')).loadTimeline());
  }
  for (const load of parts) {
    await turn();
    await load();
  }
  // A server may be killed, so the compile cache is saved now, not at exit (Node 22.10 and later).
  (nodeModule as { flushCompileCache?: () => void }).flushCompileCache?.();
}
