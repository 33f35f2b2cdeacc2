import type { Clock } from '../../base/clock/clock.js';
import { ContainerState } from '../../cri/gen/runtime/v1/api.js';
import { Code } from '../../cri/status-code.js';
import type { NodePod } from '../../kubelet/hosts/kubelet.js';
import { allStatuses } from '../../kubelet/index.js';
import type { ContainerApiState } from '../../kubelet/kubernetes/pod-status.js';
import { Problem } from '../../runtime/control/problem.js';
import type { ClusterNode } from '../node/cluster-node.js';
import { readLogFile } from './log-file.js';
import { parseLogLine } from './log-line.js';
import type { LogOptions } from './log-options.js';

interface LogWriter {
  /** Returns the bytes for a line of the file, with its newline; empty if it is skipped. */
  write(line: Buffer): Buffer;
  /** Whether the client has everything it requested. */
  readonly done: boolean;
}

const NEWLINE = 0x0a;
const NOTHING = Buffer.alloc(0);

export interface ContainerLogsOptions {
  readonly clock: Clock;
  readonly node: ClusterNode;
  readonly pod: NodePod;
  readonly container: string;
  readonly options: LogOptions;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

/**
 * Streams a container's output (kubelet_pods.go GetKubeletContainerLogs). Rejects with Problem if there is none.
 */
export async function containerLogs(given: ContainerLogsOptions): Promise<AsyncIterable<Buffer>> {
  const { clock, node, pod, container, options, signal } = given;
  const id = containerOf(pod, container, options.previous);
  const containerId = id.slice(id.indexOf('://') + 3);
  const status = await node.cri.containerStatus({ containerId }).catch(() => undefined);
  if (status?.status === undefined) throw new Problem(400, `unable to retrieve container logs for ${id}`);
  const isRunning = async () => {
    try {
      const reply = await node.cri.containerStatus({ containerId });
      return reply.status?.state === ContainerState.CONTAINER_RUNNING;
    } catch (error) {
      // A restarting runtime has not ended its containers.
      if ((error as { code?: number }).code === Code.UNAVAILABLE) return true;
      throw error;
    }
  };
  const { logPath: path } = status.status;
  const open = () => node.files.openLog(path);
  const first = await open().catch((error: Error) => {
    throw new Problem(400, `failed to try resolving symlinks in path "${path}": ${error.message}`);
  });
  await first.close();
  const { follow, tailLines } = options;
  return wantedOutput(readLogFile({ clock, path, open, tailLines, follow, isRunning, signal }), options);
}

async function* wantedOutput(
  lines: AsyncIterable<readonly Buffer[]>,
  options: LogOptions,
): AsyncGenerator<Buffer> {
  const writer = createLogWriter(options);
  if (writer.done) return;
  for await (const block of lines) {
    const pieces: Buffer[] = [];
    for (const line of block) {
      if (writer.done) break;
      pieces.push(writer.write(line));
    }
    const bytes = Buffer.concat(pieces);
    if (bytes.length > 0) yield bytes;
    if (writer.done) return;
  }
}

/** Skips old lines, adds timestamps, and stops at the limits (cri-client logs.go logWriter, ReadLogs). */
function createLogWriter({ follow, since, timestamps, tailLines, limitBytes }: LogOptions): LogWriter {
  let remaining = limitBytes ?? Number.POSITIVE_INFINITY;
  let lines = tailLines === undefined || follow ? Number.POSITIVE_INFINITY : tailLines;
  let isNewLine = true;
  return {
    write: (line) => {
      const parsed = parseLogLine(line);
      if (parsed === undefined) return NOTHING;
      lines--;
      const { timestamp, time, content } = parsed;
      const prefix = timestamps && isNewLine ? [Buffer.from(`${timestamp} `)] : [];
      isNewLine = content.length === 0 || content.at(-1) === NEWLINE;
      if (since !== undefined && time < since) return NOTHING;
      const bytes = Buffer.concat([...prefix, content]).subarray(0, remaining);
      remaining -= bytes.length;
      return bytes;
    },
    get done() {
      return remaining <= 0 || lines <= 0;
    },
  };
}

/** The id `<runtime>://<id>` of the container whose log is shown (kubelet_pods.go validateContainerLogStatus). */
function containerOf({ pod, status }: NodePod, name: string, previous: boolean): string {
  const refuse = (why: string) => new Problem(400, why);
  const where = `container "${name}" in pod "${pod.metadata.name}"`;
  const found = allStatuses(status).find((one) => one.name === name);
  if (found === undefined) throw refuse(`${where} is not available`);
  const { state, lastState, containerID } = found;
  const before = endedId(lastState);
  if (previous) {
    if (before === '') throw refuse(`previous terminated ${where} not found`);
    return before;
  }
  if (state.kind === 'running') return containerID;
  const ended = endedId(state) || before;
  if (ended !== '') return ended;
  if (state.kind === 'terminated' || lastState?.kind === 'terminated') throw refuse(`${where} is terminated`);
  throw refuse(`${where} is waiting to start: ${WAITING[state.reason] ?? state.reason}`);
}

const WAITING: Readonly<Record<string, string>> = {
  ErrImagePull: "image can't be pulled",
  ImagePullBackOff: 'trying and failing to pull image',
};

const endedId = (state: ContainerApiState | undefined): string =>
  state?.kind === 'terminated' ? state.containerID : '';
