import { rm } from 'node:fs/promises';
import type { Clock } from '../../../base/clock/clock.js';
import { NotExecutedError, StatusError } from '../../../cri/errors.js';
import { ExecSyncResponse } from '../../../cri/gen/runtime/v1/api.js';
import type { Layer } from '../../../cri/layer.js';
import { LARGEST_MESSAGE } from '../../../cri/limits.js';
import type { Call, CriService } from '../../../cri/service.js';
import { Code } from '../../../cri/status-code.js';
import { decoded } from '../decoded.js';
import { lacksDirectory } from '../log-directory.js';
import { containerStatusOf } from '../statuses.js';
import { createUnderWay } from '../under-way.js';
import { conflicting } from './conflicts.js';
import { crashing } from './crashes.js';
import { noReopen } from './errors.js';
import { dockerImages } from './images.js';
import { dockerReads } from './reads.js';

/** RPCs that Docker always completes. */
const CHANGES = [
  'runPodSandbox',
  'stopPodSandbox',
  'removePodSandbox',
  'createContainer',
  'startContainer',
  'stopContainer',
  'removeContainer',
  'updateContainerResources',
  'pullImage',
  'removeImage',
] as const;

type Serve = (request: never, call: Call) => unknown;

/** Cancelled calls continue: cri-dockerd does not pass its context to Docker (libdocker/kube_docker_client.go). */
const uncancelled = (service: CriService): CriService => ({
  ...service,
  ...(Object.fromEntries(CHANGES.map((name) => [name, toItsEnd(service[name])])) as Partial<CriService>),
});

const toItsEnd =
  (serve: Serve): Serve =>
  (request, call) =>
    serve(request, { ...call, signal: new AbortController().signal, deadline: undefined });

type Removals = Pick<CriService, 'removeContainer' | 'removePodSandbox'>;

const inProgress = (what: string, id: string): StatusError =>
  new StatusError(
    Code.UNKNOWN,
    `${what}Error response from daemon: removal of container ${id} is already in progress`,
  );

type Start = CriService['startContainer'];

/**
 * StartContainer links log_path to Docker's log, also for a container that can't be started. It creates no directory:
 * without one the call fails, and the container runs (core/logs.go, createContainerLogSymlink).
 */
const linked =
  (engine: CriService): Start =>
  async (request, call) => {
    try {
      return await engine.startContainer(request, call);
    } finally {
      await requireDirectory(engine, request.containerId, call);
    }
  };

/** The engine truncates output from this size on. */
const CUT = LARGEST_MESSAGE - 64;

type Request = Parameters<CriService['execSync']>[0];

/** A command that can't be executed ends immediately, with the error as its output; too much output is an error. */
const execSync =
  (engine: CriService): CriService['execSync'] =>
  async (request, call) => {
    const reply = await executed(engine, request, call);
    if (reply.stdout.length + reply.stderr.length >= CUT) throw new StatusError(Code.UNKNOWN, 'short write');
    return reply;
  };

/** Docker derives it from runc's error. */
const exitCodeOf = (refusal: string): number => (/no such file|not found/.test(refusal) ? 127 : 126);

type Streams = Pick<CriService, 'exec' | 'attach' | 'portForward'>;

/** cri-dockerd's stream URLs lack `http:` and begin with `/cri/` (streaming/server.go). */
const schemeless = (engine: CriService): Streams => ({
  exec: async (request, call) => shown(await engine.exec(request, call)),
  attach: async (request, call) => shown(await engine.attach(request, call)),
  portForward: async (request, call) => shown(await engine.portForward(request, call)),
});

const shown = <T extends { readonly url: string } | Buffer>(reply: T): T =>
  Buffer.isBuffer(reply) ? reply : { ...reply, url: reply.url.replace(/^https?:(\/\/[^/]+)/, '$1/cri') };

export const criDockerdReplies =
  (clock: Clock): Layer =>
  (given) => {
    const engine = uncancelled(given);
    const service: CriService = {
      ...engine,
      ...conflicting(engine),
      ...dockerImages(engine),
      ...dockerReads(engine, clock),
      ...schemeless(engine),
      startContainer: linked(engine),
      execSync: execSync(engine),
      stopContainer: async (request, call) => {
        // Throws for an unknown container.
        await containerStatusOf(engine, request.containerId, call);
        return engine.stopContainer(request, call);
      },
      ...removals(engine),
      reopenContainerLog: () => {
        const { code, text } = noReopen();
        throw new StatusError(Code[code], text);
      },
    };
    return { ...service, ...crashing(service) };
  };

/** Docker removes an object once, a container with its log. */
function removals(engine: CriService): Removals {
  const removing = createUnderWay();
  return {
    removeContainer: async (request, call) => {
      const { containerId } = request;
      const { logPath = '' } = (await containerStatusOf(engine, containerId, call)) ?? {};
      if (removing.of(containerId) !== undefined)
        throw inProgress(`failed to remove container "${containerId}": `, containerId);
      return removing.run(containerId, async () => {
        if (logPath !== '') await rm(logPath, { force: true });
        return engine.removeContainer(request, call);
      });
    },
    removePodSandbox: (request, call) => {
      const { podSandboxId } = request;
      if (removing.of(podSandboxId) !== undefined) throw inProgress('', podSandboxId);
      return removing.run(podSandboxId, async () => engine.removePodSandbox(request, call));
    },
  };
}

/** Throws the error for a link that can't be created. */
async function requireDirectory(engine: CriService, containerId: string, call: Call): Promise<void> {
  const { id = '', logPath = '' } = (await containerStatusOf(engine, containerId, call)) ?? {};
  if (logPath === '' || !lacksDirectory(logPath)) return;
  const log = `/var/lib/docker/containers/${id}/${id}-json.log`;
  const why = `symlink ${log} ${logPath}: no such file or directory`;
  throw new StatusError(
    Code.UNKNOWN,
    `failed to create symbolic link "${logPath}" to the container log file "${log}" for container "${containerId}": ${why}`,
  );
}

async function executed(engine: CriService, request: Request, call: Call): Promise<ExecSyncResponse> {
  try {
    return decoded(ExecSyncResponse, await engine.execSync(request, call));
  } catch (error) {
    if (!(error instanceof NotExecutedError)) throw error;
    const { refusal } = error;
    const stdout = Buffer.from(`OCI runtime exec failed: ${refusal}: unknown\r\n`);
    return { stdout, stderr: Buffer.alloc(0), exitCode: exitCodeOf(refusal) };
  }
}
