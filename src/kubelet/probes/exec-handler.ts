import { formatDuration } from '../../base/input/duration.js';
import type { RuntimeClient } from '../client/client.js';
import { errorText, isDeadlineExceeded } from '../client/errors.js';
import type { KubeletVersion } from '../types/version.js';
import { failure, type ProbeOutcome, success } from './outcome.js';

/**
 * pkg/probe/exec: the exit code decides, and a command that exceeds its time limit fails. Throws any other error of the
 * call, and an abort of the signal, because they say nothing about the container. `timeout` is in seconds; `said` is
 * the text for the time limit.
 */
export async function checkExec(
  client: Pick<RuntimeClient, 'execSync'>,
  containerId: string,
  command: readonly string[],
  timeout: number,
  signal: AbortSignal,
  said: KubeletVersion['probeTimeout'],
): Promise<ProbeOutcome> {
  try {
    const { exitCode, stdout, stderr } = await client.execSync(containerId, command, timeout, signal);
    const output = `${Buffer.from(stdout)}${Buffer.from(stderr)}`;
    return exitCode === 0 ? success(output) : failure(output);
  } catch (error) {
    if (signal.aborted) throw new Error('rpc error: code = Canceled desc = context canceled');
    if (!isDeadlineExceeded(error)) throw new Error(errorText(error), { cause: error });
    const words = JSON.stringify(command.join(' '));
    if (said === 'plain') return failure(`command ${words} timed out`);
    return failure(`command timed out: ${words} timed out after ${formatDuration(timeout * 1000)}`);
  }
}
