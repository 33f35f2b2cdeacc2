import { answerMisses } from '../../../../adapters/tape/on-miss.js';
import { createTapeService } from '../../../../adapters/tape/tape-service.js';
import { invalid } from '../../../cri/errors.js';
import type { Origin, RuntimeOrigin } from '../../../runtime/assembly/origin.js';
import { remoteTarget } from '../../../runtime/assembly/remote-target.js';
import { readHistory } from '../../../tape/history/exchanges.js';
import { openTape } from '../../../tape/read.js';
import type { BackendContext } from './backend-context.js';
import type { ServeSettings } from './settings.js';

/**
 * With `--on-miss memory`, in front of an in-memory runtime. Throws CriError without `--tape`, InputError for another
 * file.
 */
export async function openTapeBackend(
  settings: ServeSettings,
  context: BackendContext,
  openMemory: (settings: ServeSettings, context: BackendContext) => Promise<RuntimeOrigin>,
): Promise<Origin> {
  const { tape: file, 'on-miss': onMiss } = settings;
  if (file === undefined) throw invalid('backend tape needs --tape, a file that --record has made');
  const history = await readHistory(await openTape(file));
  const { clock, warn } = context;
  const memory = onMiss === 'memory' ? await openMemory(settings, context) : undefined;
  const tape = createTapeService({ history, clock, onMiss: (text) => warn(text, undefined) });
  const service = memory === undefined ? tape.service : answerMisses(tape.service, memory.service, clock);
  const { target, layer } = remoteTarget(service);
  const close = async () => {
    tape.close();
    await memory?.close();
  };
  return { service, target, layer, forwards: false, close };
}
