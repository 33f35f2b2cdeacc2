import type { Logger } from 'pino';
import type { Clock } from '../../clock/clock.js';
import type { FaultApplication } from '../../faults/fault-service.js';
import { actionName, createFaults, type Faults } from '../../faults/faults.js';
import { createFaultHost, type FaultTarget, type ServerFaultHost } from '../../server/fault-host.js';
import { remoteTarget } from '../../server/remote-target.js';
import { runtimeTarget } from '../../server/runtime-target.js';
import type { Serving } from './backends.js';

/** The rules, and the hand that they have on the server; `host.serve` is still to be called. */
export interface MountedFaults {
  readonly faults: Faults;
  readonly host: ServerFaultHost;
}

interface MountOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly seed: number | undefined;
}

/** Puts fault rules in front of what serves. */
export async function mountFaults(
  serving: Serving,
  { clock, log, seed }: MountOptions,
): Promise<MountedFaults> {
  const { service, target } = await targetOf(serving, log);
  const host = createFaultHost(target, {
    clock,
    warn: (message, error) => log.warn({ err: error }, message),
  });
  const faults = createFaults({ service, host, clock, seed });
  faults.onFault((application) => log.info(faultFields(application), 'fault'));
  return { faults, host };
}

async function targetOf({ service, runtime }: Serving, log: Logger) {
  const warn = (message: string, error: unknown) => log.warn({ err: error }, message);
  if (runtime) return { service, target: runtimeTarget(runtime, warn) satisfies FaultTarget };
  const remote = remoteTarget(service);
  await remote.discover().catch((error: unknown) => {
    log.warn(
      { reason: (error as Error).message },
      'the runtime behind does not answer yet; its objects become known as calls pass',
    );
  });
  return remote;
}

const faultFields = (application: FaultApplication): object => {
  const { rule, trigger, method, subject } = application;
  const { pod, container } = subject;
  return {
    rule: rule.name,
    action: actionName(application),
    on: trigger,
    ...(method && { method }),
    ...(pod && { pod: `${pod.namespace}/${pod.name}` }),
    ...(container && { container: container.name }),
  };
};
