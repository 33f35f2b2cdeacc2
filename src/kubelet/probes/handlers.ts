import { formatDuration } from '../../base/input/duration.js';
import { formatSocketAddress } from '../../base/input/socket-address.js';
import type { RuntimeClient } from '../client/client.js';
import { errorText, isDeadlineExceeded } from '../client/errors.js';
import type { KubeletVersion } from '../types/version.js';
import { type Dialer, dial } from './dial.js';
import { exchange } from './exchange.js';
import {
  ask,
  firstTarget,
  type HttpRequest,
  type RequestStage,
  readBody,
  requestError,
} from './http-request.js';
import { BrokenAnswer, failure, type ProbeOutcome, socketError, success, warning } from './outcome.js';

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

/** pkg/probe/tcp: an open connection is a success. `timeout` in ms. */
export async function checkTcp(
  dialer: Dialer,
  host: string,
  port: number,
  timeout: number,
): Promise<ProbeOutcome> {
  const address = formatSocketAddress({ host, port });
  try {
    const opened = await exchange(dialer.clock, timeout, (signal) => dial(dialer, host, port, signal));
    return opened === undefined ? failure(`dial tcp ${address}: i/o timeout`) : success();
  } catch (error) {
    return failure(socketError(error, address));
  }
}

/** httpGet of a probe (probe/http/http.go). */
interface HttpCheck extends HttpRequest {
  /** In ms. */
  readonly timeout: number;
}

/** pkg/probe/http: 200 to 399 succeeds. Throws for a response without its body, because the result is unknown. */
export async function checkHttp(check: HttpCheck): Promise<ProbeOutcome> {
  const stage: RequestStage = { target: firstTarget(check) };
  const read = async (signal: AbortSignal) => {
    const response = await ask(check, stage, signal);
    return { status: response.statusCode ?? 0, body: await readBody(response) };
  };
  const answer = await exchange(check.clock, check.timeout, read).catch((error: unknown) => {
    if (stage.hasHeaders) throw new BrokenAnswer('unexpected EOF');
    return failure(requestError(error, stage.target));
  });
  if (answer === undefined) {
    const late = 'context deadline exceeded (Client.Timeout';
    if (stage.hasHeaders) throw new BrokenAnswer(`${late} or context cancellation while reading body)`);
    return failure(`Get "${stage.target.text}": ${late} exceeded while awaiting headers)`);
  }
  if ('result' in answer) return answer;
  const { status, body } = answer;
  if (status >= 400 || status < 200) return failure(`HTTP probe failed with statuscode: ${status}`);
  if (status >= 300) return warning(`Probe terminated redirects, Response body: ${body}`);
  return success(body);
}
