import { CriError } from '../../../cri/errors.js';
import type { Engine } from '../engine.js';
import type { StreamingHandler } from '../streaming.js';

export function createStreamingHandler({ store, transitions, backend, rules }: Engine): StreamingHandler {
  return {
    newestSubprotocols: rules.newestSubprotocols,
    exec: async ({ containerId, command, tty }, streams, signal) => {
      const record = store.containers.get(containerId);
      transitions.allowContainer('Exec', record.id, record.phase.state);
      return backend.exec(record.id, { command, tty, outputWait: rules.execs.streamWait }, streams, {
        signal,
      });
    },
    attach: async ({ containerId }, streams, signal) => {
      const record = store.containers.get(containerId);
      transitions.allowContainer('Attach', record.id, record.phase.state);
      await backend.attach(record.id, streams, { signal });
    },
    portForward: async (sandboxId, port, connection, signal) => {
      const record = store.sandboxes.get(sandboxId);
      transitions.allowSandbox('PortForward', record.id, record.state);
      try {
        await backend.portForward(record.id, port, connection, { signal });
      } catch (error) {
        if (!(error instanceof CriError) || error.problem?.name !== 'port-refused') throw error;
        throw new CriError(error.kind, rules.portRefused(record.id, port), { cause: error });
      }
    },
  };
}
