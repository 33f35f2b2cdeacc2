import { transportOf } from '../../cri/client/client.js';
import { Code } from '../../cri/status-code.js';
import { isRpcFailure } from '../conformance/expect.js';
import { methodOf, rpcOf } from './catalog/index.js';
import { normalReply } from './normal-form.js';
import type { SequenceObjects } from './objects.js';
import type { Side } from './side.js';
import type { PlannedCall } from './steps.js';
import type { NormalOutcome } from './trace.js';

/** Time in ms by which a timer can be early. */
const TIMER_ERROR = 20;

export interface CallResult {
  /** In normal form with the aliases that are known at the time of the call. */
  readonly outcome: () => NormalOutcome;
  /** Undefined for a failure. */
  readonly reply?: object;
}

/** Makes a planned call; its alias gets the id of what it creates. */
export async function perform(side: Side, objects: SequenceObjects, call: PlannedCall): Promise<CallResult> {
  const { method, form, pod = '', container = '' } = call;
  const build = rpcOf(method).forms[form];
  if (build === undefined) throw new Error(`${method} has no form "${form}"`);
  const result = await exchange(side, objects, method, build(objects.target(call)));
  const { podSandboxId, containerId } = (result.reply ?? {}) as Partial<Record<string, string>>;
  if (method === 'RunPodSandbox' && podSandboxId) objects.bind(pod, podSandboxId, true);
  if (method === 'CreateContainer' && containerId) objects.bind(container, containerId, false);
  return result;
}

/** Makes one call. Reads a stream to its end, and merges its messages into one reply. */
export async function exchange(
  side: Side,
  objects: SequenceObjects,
  name: string,
  partial: object,
): Promise<CallResult> {
  const { cri, clock, timeout, signal } = side;
  const begin = clock.elapsed();
  const method = methodOf(name);
  const transport = transportOf(cri);
  const limits = { timeout, signal };
  try {
    const request = method.completeRequest(partial);
    const whole = method.stream
      ? await gather(transport.stream(method, request, limits))
      : await transport.unary(method, request, limits);
    const outcome = (): NormalOutcome => ({
      code: 'OK',
      reply: normalReply(name, objects.ownOf(whole), objects.aliases),
    });
    return { outcome, reply: whole };
  } catch (error) {
    if (!isRpcFailure(error)) throw error;
    // An abandoned call ends with the client's or the server's error, depending on chance.
    const isLate = clock.elapsed() - begin >= timeout - TIMER_ERROR;
    if (isLate)
      return { outcome: () => ({ code: 'DEADLINE_EXCEEDED', details: `no answer in ${timeout} ms` }) };
    const { code, details } = error;
    return { outcome: () => ({ code: Code[code] ?? String(code), details: objects.aliases.show(details) }) };
  }
}

async function gather(stream: AsyncIterable<object>): Promise<object> {
  const whole: Record<string, unknown[]> = {};
  for await (const message of stream)
    for (const [key, value] of Object.entries(message))
      whole[key] = [...(whole[key] ?? []), ...(Array.isArray(value) ? value : [value])];
  return whole;
}
