import { Writable } from 'node:stream';
import { Account } from '../../../base/input/account.js';
import { GrowingBuffer } from '../../../base/input/growing-buffer.js';
import { CriError, invalid, unsupported } from '../../../cri/errors.js';
import { LARGEST_MESSAGE } from '../../../cri/limits.js';
import type { CriService } from '../../../cri/service.js';
import type { Engine } from '../engine.js';
import type { ContainerRecord } from '../state/records.js';
import type { StreamingServer } from '../streaming.js';
import { secondsToMillis } from './durations.js';

/**
 * cri-api ExecSync: each output is limited to 16 MiB, and the rest is dropped without an error. The kubelet and crictl
 * accept messages up to that size, so both outputs together, with their framing, have to fit.
 */
const OUTPUT_LIMIT = LARGEST_MESSAGE - 64;

type ExecService = Pick<CriService, 'execSync' | 'exec' | 'attach' | 'portForward'>;

/** Ports of one PortForward call: over WebSocket, each is a connection from the start. */
const MAX_PORTS = 256;

/** `streaming` is undefined for a runtime without a streaming server: these RPCs then fail. */
export function execService(engine: Engine, streaming: StreamingServer | undefined): ExecService {
  const { store, transitions, backend, rules } = engine;
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
      const limit = secondsToMillis(timeout, rules.negativeTimeouts);
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
  const end = () => ending.abort(cancelled());
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  const { syncWait: outputWait, timeoutOfCommand } = engine.rules.execs;
  const expired = new AbortController();
  const expire = () => (timeoutOfCommand ? expired : ending).abort(tookLongerThan(limit));
  const timer = limit === 0 ? undefined : engine.clock.setTimer(limit, expire);
  const ended = () => timeoutOfCommand && timer?.cancel();
  const outputs = new Outputs(engine.accounts.outputs, () => ending.abort(noMemory()));
  ending.signal.addEventListener('abort', () => outputs.drop(), { once: true });
  const [stdout, stderr] = [outputs.open(), outputs.open()];
  try {
    const call = { signal: ending.signal };
    const exitCode = await engine.backend.exec(
      id,
      { command, tty: false, isSync: true, outputWait, expired: expired.signal, ended },
      { stdout, stderr },
      call,
    );
    expired.signal.throwIfAborted();
    if (!ending.signal.aborted) return { stdout: stdout.bytes(), stderr: stderr.bytes(), exitCode };
  } catch (error) {
    if (!ending.signal.aborted) throw error;
  } finally {
    timer?.cancel();
    signal.removeEventListener('abort', end);
    outputs.drop();
  }
  // The call ended while the command ran; the backend has killed it by now.
  throw ending.signal.reason;
}

const cancelled = () =>
  new CriError('cancelled', 'ExecSync was cancelled by the client; the command was killed');

const tookLongerThan = (limit: number) =>
  new CriError(
    'timeout',
    `failed to exec in container: timeout ${limit / 1000}s exceeded: context deadline exceeded`,
  );

const noMemory = () =>
  new CriError(
    'exhausted',
    'the output of ExecSync calls takes all memory that it may have; the command was killed: try again, or raise --memory-limit',
  );

class Outputs {
  readonly #account: Account;
  readonly #full: () => void;
  #open: Output[] = [];
  #left = OUTPUT_LIMIT;

  constructor(account: Account, full: () => void) {
    this.#account = new Account(OUTPUT_LIMIT, account);
    this.#full = full;
  }

  open(): Output {
    const output = new Output((chunk) => this.#take(chunk));
    this.#open.push(output);
    return output;
  }

  drop(): void {
    this.#left = 0;
    this.#account.close();
    for (const output of this.#open.splice(0)) output.drop();
  }

  #take(chunk: Buffer): Buffer {
    const kept = chunk.subarray(0, this.#left);
    this.#left -= kept.length;
    if (this.#account.take(kept.length)) return kept;
    this.#full();
    return EMPTY;
  }
}

const EMPTY = Buffer.alloc(0);

class Output extends Writable {
  readonly #take: (chunk: Buffer) => Buffer;
  #kept = new GrowingBuffer();

  constructor(take: (chunk: Buffer) => Buffer) {
    super();
    this.#take = take;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#kept.append(this.#take(chunk));
    done();
  }

  bytes(): Buffer {
    return this.#kept.bytes();
  }

  drop(): void {
    this.#kept = new GrowingBuffer();
  }
}
