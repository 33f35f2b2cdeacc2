import { isAbsolute } from 'node:path';
import { CriError, invalid, notFound, unsupported } from '../../../cri/errors.js';
import type { Call, CriService } from '../../../cri/service.js';
import type { CheckpointBackend } from '../backend.js';
import type { Engine } from '../engine.js';
import { secondsToMillis } from '../rpc/durations.js';
import { checkpointPod, paused } from './checkpoint-pod.js';
import { restorePod } from './restore-pod.js';

type CheckpointService = Pick<CriService, 'checkpointContainer' | 'checkpointPod' | 'restorePod'>;

/** CheckpointContainer (KEP-2008), CheckpointPod and RestorePod; `unsupported` if the backend has no checkpoints. */
export function checkpointService(engine: Engine): CheckpointService {
  const { store, queue, transitions, backend } = engine;
  return {
    checkpointContainer: async ({ containerId, location, timeout }, call) => {
      const checkpoints = required(backend.checkpoints);
      if (!isAbsolute(location))
        throw invalid(`location "${location}" must be an absolute path of a new file`);
      const limit = secondsToMillis(timeout);
      const record = store.containers.get(containerId);
      await queue.run(record.sandbox.id, call.signal, async () => {
        if (!store.containers.has(record.id)) throw notFound(`container "${record.id}" not found`);
        transitions.allowContainer('CheckpointContainer', record.id, record.phase.state);
        await within(engine, limit, call.signal, (signal) =>
          paused(checkpoints, [record], () => checkpoints.saveContainer(record.id, location, { signal })),
        );
      });
      return {};
    },

    checkpointPod: async (request, call) => {
      const checkpoints = required(backend.checkpoints);
      checkPodCall(call, request.options);
      const sandbox = store.sandboxes.get(request.podSandboxId);
      await queue.run(sandbox.id, call.signal, async () => {
        if (!store.sandboxes.has(sandbox.id)) throw notFound(`sandbox "${sandbox.id}" not found`);
        await checkpointPod(engine, checkpoints, sandbox, request, call.signal);
      });
      return {};
    },

    restorePod: async (request, call) => {
      const checkpoints = required(backend.checkpoints);
      checkPodCall(call, request.options);
      return restorePod(engine, checkpoints, request, call.signal);
    },
  };
}

function required(checkpoints: CheckpointBackend | undefined): CheckpointBackend {
  if (checkpoints === undefined) throw unsupported('this runtime has no checkpoints');
  return checkpoints;
}

/** cri-api CheckpointPod and RestorePod: the caller sets a deadline; unknown options are refused. */
function checkPodCall({ deadline }: Call, options: Readonly<Record<string, string>>): void {
  if (deadline === undefined)
    throw invalid('the call has no deadline: set one, because the operation has no own time limit');
  const [unknown] = Object.keys(options);
  if (unknown !== undefined) throw invalid(`option "${unknown}" is unknown: no options are supported`);
}

/** Runs a task, which the client or the limit in ms (0: none) aborts. */
async function within(
  { clock }: Engine,
  limit: number,
  client: AbortSignal,
  task: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  if (limit === 0) return task(client);
  const expired = new AbortController();
  const timer = clock.setTimer(limit, () => expired.abort());
  try {
    await task(AbortSignal.any([client, expired.signal]));
  } catch (error) {
    if (!expired.signal.aborted) throw error;
    throw new CriError('timeout', `the checkpoint was not written within ${limit / 1000}s`, { cause: error });
  } finally {
    timer.cancel();
  }
}
