import type { ContainerSpec } from '../../../src/kubelet/kubernetes/container.js';
import type { Probe } from '../../../src/kubelet/kubernetes/handler.js';
import { askedPort, healthy, portsOf } from './facts.js';

export interface ProbeAnswers {
  readonly ready: boolean;
  readonly started: boolean;
  /** Default: true. */
  readonly alive?: boolean;
  /** When its liveness probe begins to fail, in ms after its start; undefined if it never does. */
  readonly failsFrom?: number | undefined;
}

export function probeParts(
  container: ContainerSpec,
  { ready, started, alive = true, failsFrom }: ProbeAnswers,
): string[] {
  const { livenessProbe, readinessProbe, startupProbe, lifecycle } = container;
  const isAsked = livenessProbe ?? readinessProbe ?? startupProbe ?? lifecycle;
  const all = portsOf(container);
  if (isAsked === undefined && all.length === 0) return [];
  const probes = [!alive && livenessProbe, !ready && readinessProbe, !started && startupProbe];
  const failing = probes.filter((probe) => probe !== false && probe !== undefined);
  // Close the port of a failing probe that checks nothing but the connection.
  const closed = failing.map((probe) => (probe.httpGet ? undefined : askedPort(probe, container)));
  const paths = failing.flatMap((probe) => failingPath(probe, container) ?? []);
  return [
    healthy(all.filter((port) => !closed.includes(port))),
    ...[...new Set(paths)].map((path) => `http=${path}:503`),
    ...(failing.some(({ exec }) => exec) ? ['exec-exit=1'] : []),
    ...(failsFrom === undefined ? [] : [`ready-until=${failsFrom / 1000}s`]),
  ];
}

/** `8080:/healthz` of an HTTP probe; undefined for others. */
function failingPath({ httpGet, ...probe }: Probe, container: ContainerSpec): string | undefined {
  const port = askedPort({ httpGet, ...probe }, container);
  const path = httpGet?.path.split('?')[0] ?? '';
  return port !== undefined && /^\/[^:,;]*$/.test(path) ? `${port}:${path}` : undefined;
}
