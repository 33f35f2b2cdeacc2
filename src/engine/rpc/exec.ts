import { Writable } from 'node:stream';
import { CriError, invalid, unsupported } from '../../cri/errors.js';
import { LARGEST_MESSAGE } from '../../cri/limits.js';
import type { CriService } from '../../cri/service.js';
import type { Engine } from '../engine.js';
import type { ContainerRecord } from '../state/records.js';
import type { StreamingServer } from '../streaming.js';
import { secondsToMillis } from './durations.js';

/**
 * cri-api ExecSync: each output is limited to 16 MiB, and what comes after is dropped without an error. The kubelet and
 * crictl take messages of that size at most, so both outputs together, with what frames them, have to fit.
 */
const OUTPUT_LIMIT = LARGEST_MESSAGE - 64;

type ExecService = Pick<CriService, 'execSync' | 'exec' | 'attach' | 'portForward'>;

/** Ports of one PortForward call: over WebSocket, each is a connection from the start. */
const MAX_PORTS = 256;

/** `streaming` is undefined when the runtime was made without a streaming server: then there are no URLs. */
export function execService(engine: Engine, streaming: StreamingServer | undefined): ExecService {
  const { store, transitions, backend, rules } = engine;
  /** The object of a request that is in the right state, before or after the rest of the request is checked. */
  const find = <T>(get: () => T, allow: (record: T) => void, check: () => void): T => {
    if (!rules.lookupFirst) check();
    const record = get();
    allow(record);
    if (rules.lookupFirst) check();
    return record;
  };
  const allow = (request: 'ExecSync' | 'Exec' | 'Attach') => (record: ContainerRecord) => {
    transitions.allowContainer(request, record.id, record.phase.state);
  };
  /** The id that a stream is for: that of the container, or as given where the stream looks for it. */
  const findForStream = (request: 'Exec' | 'Attach', id: string, check: () => void): string => {
    if (!rules.checksInStream) return find(() => store.containers.get(id), allow(request), check).id;
    check();
    return id;
  };
  const server = () => {
    if (streaming === undefined) throw unsupported('this runtime has no streaming server');
    return streaming;
  };
  return {
    execSync: async ({ containerId, cmd, timeout }, call) => {
      const limit = secondsToMillis('timeout', timeout, rules.negativeTimeouts);
      const record = find(
        () => store.containers.get(containerId),
        allow('ExecSync'),
        () => checkCommand(cmd),
      );
      return execSync(engine, record.id, cmd, limit, call.signal);
    },

    exec: ({ containerId, cmd, ...selection }) => {
      const id = findForStream('Exec', containerId, () => {
        checkTarget('container_id', containerId);
        checkStreams(selection);
        if (rules.checksStreams) checkCommand(cmd);
      });
      return { url: server().execUrl({ ...selection, containerId: id, command: cmd }) };
    },

    attach: ({ containerId, ...selection }) => {
      const id = findForStream('Attach', containerId, () => {
        checkTarget('container_id', containerId);
        checkStreams(selection);
        if (!backend.capabilities.attach) throw unsupported('this runtime cannot attach to a container');
      });
      const tty = rules.checksStreams ? store.containers.get(id).tty : selection.tty;
      if (selection.tty !== tty)
        throw invalid(`tty is ${selection.tty}, but container "${id}" was created with ${tty}`);
      return { url: server().attachUrl({ ...selection, containerId: id }) };
    },

    portForward: ({ podSandboxId, port }) => {
      const check = () => {
        checkTarget('pod_sandbox_id', podSandboxId);
        if (!backend.capabilities.portForward) throw unsupported('this runtime cannot forward ports');
        checkPorts(port, rules.checksStreams);
      };
      if (rules.checksInStream) {
        check();
        return { url: server().portForwardUrl({ sandboxId: podSandboxId, ports: port }) };
      }
      const record = find(
        () => store.sandboxes.get(podSandboxId),
        ({ id, state }) => transitions.allowSandbox('PortForward', id, state),
        check,
      );
      return { url: server().portForwardUrl({ sandboxId: record.id, ports: port }) };
    },
  };
}

/** Texts of the streaming library that containerd and CRI-O share. */
function checkTarget(field: string, id: string): void {
  if (id === '') throw invalid(`missing required ${field}`);
}

function checkCommand(cmd: readonly string[]): void {
  if (cmd.length === 0) throw invalid('cmd is empty: give the command to execute', { name: 'no-command' });
}

function checkPorts(ports: readonly number[], checksRange: boolean): void {
  if (ports.length > MAX_PORTS)
    throw invalid(`${ports.length} ports; at most ${MAX_PORTS} can be forwarded with one call`);
  const wrong = checksRange ? ports.find((port) => port < 1 || port > 65_535) : undefined;
  if (wrong !== undefined) throw invalid(`port ${wrong} is out of range 1 to 65535`);
}

function checkStreams(selection: { stdin: boolean; stdout: boolean; stderr: boolean; tty: boolean }): void {
  const { stdin, stdout, stderr, tty } = selection;
  if (tty && stderr) throw invalid('tty and stderr cannot both be true');
  if (!stdin && !stdout && !stderr) throw invalid('one of stdin, stdout, or stderr must be set');
}

async function execSync(engine: Engine, id: string, command: string[], limit: number, signal: AbortSignal) {
  const ending = new AbortController();
  const end = () => ending.abort(signal.reason);
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  let timedOut = false;
  const timer =
    limit === 0
      ? undefined
      : engine.clock.setTimer(limit, () => {
          timedOut = true;
          ending.abort();
        });
  const room = { bytes: OUTPUT_LIMIT };
  const stdout = new Output(room);
  const stderr = new Output(room);
  try {
    const call = { signal: ending.signal };
    const exitCode = await engine.backend.exec(
      id,
      { command, tty: false, isSync: true },
      { stdout, stderr },
      call,
    );
    if (!ending.signal.aborted) return { stdout: stdout.bytes(), stderr: stderr.bytes(), exitCode };
  } catch (error) {
    if (!ending.signal.aborted) throw error;
  } finally {
    timer?.cancel();
    signal.removeEventListener('abort', end);
  }
  // The call ended while the command ran; the backend has killed it by now.
  if (timedOut)
    throw new CriError(
      'timeout',
      `failed to exec in container: timeout ${limit / 1000}s exceeded: context deadline exceeded`,
    );
  throw new CriError('cancelled', 'ExecSync was cancelled by the client; the command was killed');
}

/** Collects output up to a limit, which can be shared. */
class Output extends Writable {
  readonly #chunks: Buffer[] = [];
  readonly #room: { bytes: number };

  constructor(room: { bytes: number }) {
    super();
    this.#room = room;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (this.#room.bytes > 0) {
      const kept = chunk.subarray(0, this.#room.bytes);
      this.#chunks.push(kept);
      this.#room.bytes -= kept.length;
    }
    done();
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}
