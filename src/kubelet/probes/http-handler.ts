import { exchange } from './exchange.js';
import {
  ask,
  firstTarget,
  type HttpRequest,
  type RequestStage,
  readBody,
  requestError,
} from './http-request.js';
import { BrokenAnswer, failure, type ProbeOutcome, success, warning } from './outcome.js';

/** httpGet of a probe (probe/http/http.go). */
export interface HttpCheck extends HttpRequest {
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
