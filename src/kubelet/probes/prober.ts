import { restOfInstant, someOfInstant } from '../../base/clock/instant.js';
import type { Random } from '../../base/random/random.js';
import type { RuntimeClient } from '../client/client.js';
import { expand, TextRoom } from '../cri-configs/environment.js';
import type { ContainerSpec } from '../kubernetes/container.js';
import type { Probe } from '../kubernetes/handler.js';
import type { Pod } from '../kubernetes/pod.js';
import type { PodApiStatus } from '../kubernetes/pod-status.js';
import type { ProbeKind, Recorder, Verdict } from '../types/ports.js';
import type { ProbeReport } from '../types/reports.js';
import type { KubeletVersion } from '../types/version.js';
import type { Dialer } from './dial.js';
import { checkGrpc } from './grpc-handler.js';
import { checkExec, checkHttp, checkTcp } from './handlers.js';
import { BrokenAnswer, type ProbeOutcome, resolvePort } from './outcome.js';

/** A probe that could not run is retried immediately, up to this many tries. */
const MAX_TRIES = 3;

export interface ProberOptions extends Dialer {
  readonly random: Random;
  readonly client: Pick<RuntimeClient, 'execSync'>;
  readonly recorder: Recorder;
  readonly version: KubeletVersion;
  readonly verdict?: Verdict | undefined;
  readonly onProbe?: ((report: ProbeReport) => void) | undefined;
}

export interface ProbeTarget {
  readonly pod: Pod;
  readonly container: ContainerSpec;
  readonly containerId: string;
  readonly kind: ProbeKind;
  readonly probe: Probe;
  readonly status: PodApiStatus;
  readonly signal: AbortSignal;
}

/** Runs a probe once. Undefined when it could not run: the result is ignored. */
export type Prober = (target: ProbeTarget) => Promise<'success' | 'failure' | undefined>;

const NAMES: Readonly<Record<ProbeKind, string>> = {
  liveness: 'Liveness',
  readiness: 'Readiness',
  startup: 'Startup',
};

/** Runs the handlers and records events about their results (prober.go). */
export function createProber(options: ProberOptions): Prober {
  const { recorder, version } = options;
  return async (target) => {
    const { pod, container, kind } = target;
    const warn = (reason: string, message: string) =>
      recorder.event(pod, 'Warning', reason, `${NAMES[kind]} probe ${message}`, container, { probe: kind });
    const report = (outcome: ProbeReport['outcome'], output: string) =>
      options.onProbe?.({
        pod: { name: pod.metadata.name, namespace: pod.metadata.namespace, uid: pod.metadata.uid },
        container: container.name,
        kind,
        outcome,
        output,
      });
    let outcome: ProbeOutcome;
    try {
      const ruled = options.verdict?.(pod, container, kind);
      outcome = ruled
        ? { result: ruled, output: 'as a behavior rule says' }
        : await tryHandlers(options, target);
    } catch (error) {
      const result = error instanceof BrokenAnswer ? 'failure' : 'unknown';
      const state = version.probeError === 'short' ? '' : ` and resulted in ${result} state`;
      warn('Unhealthy', `errored${state}: ${(error as Error).message}`);
      report(result, (error as Error).message);
      return undefined;
    }
    report(outcome.result, outcome.output);
    if (outcome.result === 'failure') warn('Unhealthy', `failed: ${outcome.output}`);
    if (outcome.result === 'warning') warn('ProbeWarning', `warning: ${outcome.output}`);
    return outcome.result === 'failure' ? 'failure' : 'success';
  };
}

async function tryHandlers(options: ProberOptions, target: ProbeTarget): Promise<ProbeOutcome> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await runHandler(options, target, attempt);
    } catch (error) {
      if (attempt === MAX_TRIES) throw error;
    }
  }
}

async function runHandler(
  { clock, network, random, client, version }: ProberOptions,
  { container, containerId, probe, status, signal }: ProbeTarget,
  attempt: number,
): Promise<ProbeOutcome> {
  const timeout = probe.timeoutSeconds * 1000;
  const userAgent = `kube-probe/${version.name}`;
  // Without an API server, a pod with host network has no address.
  const podIp = status.podIPs[0] ?? '';
  if (probe.exec !== undefined) {
    // The first call reaches the runtime after all other calls of this instant.
    await (attempt === 1 ? restOfInstant(clock) : someOfInstant(clock, random));
    const [variables, room] = [staticVariables(container), new TextRoom()];
    const command = probe.exec.command.map((word) => expand(word, variables, room));
    return checkExec(client, containerId, command, probe.timeoutSeconds, signal, version.probeTimeout);
  }
  if (probe.httpGet !== undefined) {
    const { httpGet: get } = probe;
    const port = resolvePort(get.port, container);
    return checkHttp({ clock, network, get, host: get.host || podIp, port, timeout, userAgent });
  }
  if (probe.tcpSocket !== undefined) {
    const port = resolvePort(probe.tcpSocket.port, container);
    return checkTcp({ clock, network }, probe.tcpSocket.host || podIp, port, timeout);
  }
  if (probe.grpc !== undefined) {
    return checkGrpc({ clock, network, host: podIp, ...probe.grpc, timeout, userAgent });
  }
  throw new Error(`missing probe handler for ${container.name}`);
}

/** ExpandContainerCommandOnlyStatic: literal values only, without references to other variables or to the pod. */
const staticVariables = ({ env }: ContainerSpec): ReadonlyMap<string, string> =>
  new Map(env.map(({ name, value }) => [name, value]));
