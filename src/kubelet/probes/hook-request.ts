import type { Clock } from '../../clock/clock.js';
import type { HookRequest } from '../runtime/context.js';
import { exchange } from './exchange.js';
import { send } from './http-handler.js';
import { hostPort, resolvePort, socketError } from './outcome.js';

/**
 * Sends the httpGet of a lifecycle hook (lifecycle/handlers.go). Any answer is fine, whatever its status, and there
 * is no time limit but the grace period of a preStop. A tcpSocket is no hook at all to the kubelet.
 */
export function createHookRequest(clock: Clock, kubeletVersion: string): HookRequest {
  const userAgent = `kube-lifecycle/${kubeletVersion}`;
  return async ({ httpGet: get }, podIp, container) => {
    if (get === undefined) throw new Error('invalid handler: a hook can be exec, httpGet or sleep');
    const host = get.host || podIp || '127.0.0.1';
    const address = hostPort(host, resolvePort(get.port, container));
    const scheme = get.scheme.toLowerCase();
    const url = new URL(`${scheme}://${address}${get.path}`);
    try {
      await exchange(clock, Number.POSITIVE_INFINITY, (signal) =>
        send(url, { clock, get, userAgent }, signal),
      );
    } catch (error) {
      throw new Error(`Get "${scheme}://${address}${get.path}": ${socketError(error, address)}`);
    }
  };
}
