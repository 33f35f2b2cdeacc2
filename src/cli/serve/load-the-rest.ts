import * as nodeModule from 'node:module';
import { turn } from '../../clock/turn.js';
import type { ServeSettings } from './settings.js';

/**
 * Loads what a server needs later but not for its ready line, one part after the other so that calls get through in
 * between. From then on it reads none of Mockri's files, and an update of the installation does not disturb it. Each
 * part is still imported where it is used. Rejects if a file is missing.
 */
export async function loadTheRest({
  backend,
  control,
}: Pick<ServeSettings, 'backend' | 'control'>): Promise<void> {
  const parts: (() => Promise<unknown>)[] = [() => import('../../streaming/session.js')];
  if (backend === 'memory') parts.unshift(() => import('../../linux/commands/index.js'));
  if (control !== 'off') parts.push(() => import('../../control/metrics.js'));
  for (const load of parts) {
    await turn();
    await load();
  }
  // A server may be killed: what was compiled is kept for the next start now, not at the end (Node 22.10 and later).
  (nodeModule as { flushCompileCache?: () => void }).flushCompileCache?.();
}
