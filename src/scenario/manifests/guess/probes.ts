import type { ContainerSpec } from '../../../kubernetes/container.js';
import type { Handler, Probe } from '../../../kubernetes/handler.js';

/** What the probes of a container get as answers. */
export interface ProbeAnswers {
  readonly ready: boolean;
  readonly started: boolean;
  /** When its liveness probe begins to fail, in ms after its start; undefined if it never does. */
  readonly failsFrom?: number | undefined;
}

/** The parts of a behavior that answer the probes so. */
export function probeParts(container: ContainerSpec, { ready, started, failsFrom }: ProbeAnswers): string[] {
  const { livenessProbe, readinessProbe, startupProbe } = container;
  // A path that several probes ask has one answer: the one that fails counts.
  const answers = new Map<string, number>();
  const add = (probe: Probe | undefined, succeeds: boolean): void => {
    const at = probe && addressOf(probe, container);
    if (at !== undefined && (!succeeds || !answers.has(at))) answers.set(at, succeeds ? 200 : 503);
  };
  add(livenessProbe, true);
  add(startupProbe, started);
  add(readinessProbe, ready);
  const failsExec = (!started && startupProbe?.exec) || (!ready && readinessProbe?.exec);
  return [
    ...[...answers].map(([at, code]) => `http=${at}:${code}`),
    ...(failsExec ? ['exec-exit=1'] : []),
    ...(failsFrom === undefined ? [] : [`ready-until=${failsFrom / 1000}s`]),
  ];
}

/** `8080:/healthz` of a probe over HTTP or TCP; undefined for others. */
function addressOf({ httpGet, tcpSocket, grpc }: Probe, container: ContainerSpec): string | undefined {
  const port = portOf((httpGet ?? tcpSocket ?? grpc)?.port, container);
  if (port === undefined) return undefined;
  const path = httpGet?.path.split('?')[0] ?? '/';
  return /^\/[^:,;]*$/.test(path) ? `${port}:${path}` : undefined;
}

const portOf = (port: number | string | undefined, { ports }: ContainerSpec): number | undefined =>
  typeof port === 'string' ? ports.find(({ name }) => name === port)?.containerPort : port;

/** Whether a probe asks in a way that no behavior answers: over TLS or gRPC. */
const isBeyond = ({ httpGet, grpc }: Handler): boolean => httpGet?.scheme === 'HTTPS' || grpc !== undefined;

type WrittenProbe = { readonly httpGet?: object; readonly grpc?: { readonly port: number } };
const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;

/**
 * A container as written, whose probes a behavior can answer: HTTP instead of HTTPS, and TCP instead of gRPC. The names of
 * the changed probes are added to `changed`.
 */
export function withSimpleProbes<C extends object>(written: C, read: ContainerSpec, changed: string[]): C {
  const probes = PROBES.flatMap((name) => {
    const probe = read[name];
    const own = (written as Readonly<Record<string, WrittenProbe>>)[name];
    if (probe === undefined || own === undefined || !isBeyond(probe)) return [];
    changed.push(`${read.name}: ${name}`);
    const { grpc, httpGet, ...rest } = own;
    const action = grpc ? { tcpSocket: { port: grpc.port } } : { httpGet: { ...httpGet, scheme: 'HTTP' } };
    return [[name, { ...rest, ...action }]];
  });
  return { ...written, ...Object.fromEntries(probes) };
}
