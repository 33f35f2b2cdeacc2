import { readFile } from 'node:fs/promises';
import type { Duplex } from 'node:stream';
import type Dockerode from 'dockerode';
import { CriError } from '../../../src/cri/errors.js';
import type { ExecSpec, ProcessStreams } from '../../../src/runtime/engine/backend.js';
import type { Context } from '../context.js';
import { toCriError } from '../errors.js';
import { destroyOnAbort, join, resize } from './streams.js';

/** Time in ms between two requests for the exit code. */
const POLL = 10;

/** Docker 20.10 reports a command that can't be run with this text on stdout and one of these codes. */
const REFUSAL = 'OCI runtime exec failed: ';
const REFUSED: readonly number[] = [126, 127];

/** Runs a command in a container. When the signal aborts, kills its processes, if Docker runs on this machine. */
export async function execInContainer(
  context: Context,
  container: Dockerode.Container,
  { command, tty }: ExecSpec,
  streams: ProcessStreams,
  signal: AbortSignal,
): Promise<number> {
  const { clock } = context;
  try {
    const exec = await container.exec({
      Cmd: [...command],
      Tty: tty,
      AttachStdin: streams.stdin !== undefined,
      AttachStdout: true,
      AttachStderr: !tty,
    });
    const start = { hijack: true, stdin: true, Tty: tty };
    const connection: Duplex = await exec.start(start);
    const stop = destroyOnAbort(connection, signal);
    void resize(streams.resize, (size) => exec.resize(size));
    let refusal = '';
    const copied = join(connection, streams, tty, ({ stream, data }) => {
      if (stream !== 'stdout' || !data.toString('latin1', 0, REFUSAL.length).startsWith(REFUSAL))
        return false;
      refusal = data.toString('utf8').trim();
      return true;
    }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    await clock.idle(copied);
    stop();
    const code = await exitCode(context, exec, signal);
    if (refusal === '') return code;
    if (REFUSED.includes(code)) throw new CriError('internal', `failed to exec in container: ${refusal}`);
    // The command itself printed the text.
    streams.stdout?.write(refusal);
    return code;
  } catch (error) {
    throw toCriError(error, 'exec');
  }
}

/** A command may run on after it has closed its output. */
async function exitCode(context: Context, exec: Dockerode.Exec, signal: AbortSignal): Promise<number> {
  for (;;) {
    if (signal.aborted) await killExec(context, exec);
    const { Running: running, ExitCode: code } = await exec.inspect();
    if (!running && code !== null) return code;
    await context.clock.sleep(POLL);
  }
}

async function killExec({ local, warn, clock }: Context, exec: Dockerode.Exec): Promise<void> {
  const cancelled = new CriError('cancelled', 'exec was cancelled by the client; the command was killed');
  const { Running: running, Pid: pid, ContainerID: container } = await exec.inspect();
  if (!running) throw cancelled;
  if (!local || !(await killTree(pid, container))) {
    warn('a cancelled command keeps running: Docker has no way to end it', new Error(`exec ${exec.id}`));
    throw new CriError('cancelled', 'exec was cancelled by the client; Docker could not end the command');
  }
  while ((await exec.inspect()).Running) await clock.sleep(POLL);
  throw cancelled;
}

/** Kills a process of a container and all its descendants. False if it isn't there, or without permission. */
async function killTree(pid: number, containerId: string): Promise<boolean> {
  const cgroup = await readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => '');
  if (!cgroup.includes(containerId)) return false;
  try {
    // A stopped process starts no more children.
    for (const one of await tree(pid)) process.kill(one, 'SIGKILL');
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Stops the parent first, because it could start more children. */
async function tree(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const children = text.split(' ').filter(Boolean).map(Number);
  const below = await Promise.all(children.map(tree));
  return [pid, ...below.flat()];
}
