import { formatSocketAddress } from '../../base/input/socket-address.js';
import type { HookRequest } from '../runtime/context.js';
import type { Recorder } from '../types/ports.js';
import type { Dialer } from './dial.js';
import { exchange } from './exchange.js';
import {
  ask,
  firstTarget,
  type HttpRequest,
  type RequestStage,
  readBody,
  requestError,
} from './http-request.js';
import { isPlainAnswer, resolvePort } from './outcome.js';

/**
 * Sends the httpGet of a lifecycle hook (lifecycle/handlers.go). Any response is a success, regardless of its status.
 * The only time limit is the grace period of a preStop. If the server does not use TLS, the request is repeated over
 * plain HTTP and an event records it. The kubelet does not support tcpSocket in hooks.
 */
export function createHookRequest(dialer: Dialer, recorder: Recorder, kubeletVersion: string): HookRequest {
  const userAgent = `kube-lifecycle/${kubeletVersion}`;
  return async ({ httpGet }, podIp, container, pod) => {
    if (httpGet === undefined) throw new Error('invalid handler: a hook can be exec, httpGet or sleep');
    const host = httpGet.host || podIp;
    if (host === undefined) throw new Error('failed to find networking container: the pod has no address');
    const port = resolvePort(httpGet.port, container);
    const request = { ...dialer, get: httpGet, host, port, userAgent };
    try {
      await send(request);
    } catch (error) {
      if (!isPlainAnswer((error as Error).cause)) throw error;
      const plain = { ...request, get: { ...httpGet, scheme: 'HTTP' as const } };
      await send(plain).catch(() => Promise.reject(error));
      const message = `request to HTTPS lifecycle hook ${formatSocketAddress({ host, port })} got HTTP response, retry with HTTP succeeded`;
      recorder.event(pod, 'Warning', 'LifecycleHTTPFallback', message);
    }
  };
}

async function send(request: HttpRequest): Promise<void> {
  const stage: RequestStage = { target: firstTarget(request) };
  try {
    await exchange(request.clock, Number.POSITIVE_INFINITY, async (signal) => {
      const response = await ask(request, stage, signal);
      await readBody(response).catch(() => {});
    });
  } catch (error) {
    throw new Error(requestError(error, stage.target), { cause: error });
  }
}
