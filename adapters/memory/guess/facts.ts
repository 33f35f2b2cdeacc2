import { isObject } from '../../../src/base/input/object.js';
import type { ContainerSpec } from '../../../src/kubelet/kubernetes/container.js';
import type { Handler } from '../../../src/kubelet/kubernetes/handler.js';
import type { ContainerSpec as CriContainer } from '../../../src/runtime/engine/backend.js';

export const unknownImagesChoices = ['run', 'fail'] as const;

export type UnknownImages = (typeof unknownImagesChoices)[number];

/** An init container runs before the others, a sidecar next to them. */
export type ContainerRole = 'init' | 'sidecar' | 'regular';

export interface ContainerFacts {
  readonly image: string;
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly env: ReadonlyMap<string, string>;
  readonly role: ContainerRole;
  /** Whether its pod has to end, because it belongs to a Job or is not restarted. */
  readonly hasToEnd: boolean;
  /** Its declared ports, and those of its probes and hooks. */
  readonly ports: readonly number[];
  readonly hasProbes: boolean;
  readonly mounts: readonly string[];
  /** Whether another host's name leads to simulated pods. Default: none does. */
  readonly hasHost?: ((name: string) => boolean) | undefined;
  readonly isPrivileged: boolean;
  /** Whether a user will type into it (`kubectl run -it`, `kubectl debug`). */
  readonly isInteractive: boolean;
}

export interface PodFacts {
  readonly metadata: {
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly restartPolicy: string;
    readonly initContainers: readonly (ContainerSpec & { readonly restartPolicy?: string | undefined })[];
    readonly containers: readonly ContainerSpec[];
  };
  /** Target ports of the Services that select it. Default: none. */
  readonly ledTo?: readonly number[] | undefined;
}

/** A container of a pod with its role; undefined for an ephemeral one. */
export function containerOf(
  pod: PodFacts,
  name: string,
): { spec: ContainerSpec; role: ContainerRole } | undefined {
  const regular = pod.spec.containers.find((each) => each.name === name);
  if (regular !== undefined) return { spec: regular, role: 'regular' };
  const init = pod.spec.initContainers.find((each) => each.name === name);
  return init && { spec: init, role: init.restartPolicy === 'Always' ? 'sidecar' : 'init' };
}

export function factsOfPod(pod: PodFacts, spec: ContainerSpec, role: ContainerRole): ContainerFacts {
  const env = new Map(spec.env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])));
  const expanded = (words: readonly string[]) =>
    words.map((word) => word.replace(/\$\(([\w.-]+)\)/g, (whole, name: string) => env.get(name) ?? whole));
  return {
    image: spec.image,
    command: expanded(spec.command),
    args: expanded(spec.args),
    env,
    role,
    hasToEnd: pod.spec.restartPolicy !== 'Always' || isOfJob(pod.metadata.labels ?? {}),
    ports: unique([...portsOf(spec), ...(spec === pod.spec.containers[0] ? undeclaredPorts(pod) : [])]),
    hasProbes: hasProbes(spec),
    mounts: spec.volumeMounts.map(({ mountPath }) => mountPath),
    isPrivileged: spec.securityContext.privileged ?? false,
    isInteractive: spec.stdin && spec.tty,
  };
}

/** Target ports of Services that no container declares: declarations are optional. */
function undeclaredPorts({ spec, ledTo = [] }: PodFacts): number[] {
  const declared = ledTo.length === 0 ? [] : spec.containers.flatMap(portsOf);
  return ledTo.filter((port) => !declared.includes(port));
}

/** Facts from the CRI config, and from the pod if it is known: a kubelet does not send probes to the runtime. */
export function factsOfConfig(
  { config, sandboxConfig }: Pick<CriContainer, 'config' | 'sandboxConfig'>,
  image: string,
  pod: PodFacts | undefined,
  hasHost?: (name: string) => boolean,
): ContainerFacts {
  const name = config.metadata?.name ?? '';
  const own = pod && containerOf(pod, name);
  const known = pod && own && factsOfPod(pod, own.spec, own.role);
  const declared = declaredPorts(config.annotations[PORTS]);
  return {
    image,
    command: config.command,
    args: config.args,
    env: new Map(config.envs.map(({ key, value }) => [key, value.toString()])),
    role: known?.role ?? (declared.length === 0 && SOUNDS_INITIAL.test(name) ? 'init' : 'regular'),
    hasToEnd: known?.hasToEnd ?? isOfJob(sandboxConfig.labels),
    ports: known?.ports ?? declared,
    hasProbes: known?.hasProbes ?? false,
    mounts: config.mounts.map(({ containerPath }) => containerPath),
    hasHost,
    isPrivileged: config.linux?.securityContext?.privileged ?? false,
    isInteractive: config.stdin && config.tty,
  };
}

/** The kubelet's annotation with a container's ports (kuberuntime/labels.go). */
const PORTS = 'io.kubernetes.container.ports';

/** Names of init containers; the CRI has no other mark for them. */
const SOUNDS_INITIAL =
  /(^|[-_])(init|setup|install|installer|migrate|migrations?|wait|copy|prepare|chown)([-_]|$)/;

/** Labels of the pods of Jobs, and the older one (batch/v1 JobNameLabel). */
const isOfJob = (labels: Readonly<Record<string, string>>): boolean =>
  labels['batch.kubernetes.io/job-name'] !== undefined || labels['job-name'] !== undefined;

function declaredPorts(text: string | undefined): number[] {
  if (text === undefined) return [];
  try {
    const all: unknown = JSON.parse(text);
    const ports = Array.isArray(all) ? all.filter(isObject) : [];
    return unique(
      ports.flatMap(({ containerPort, protocol = 'TCP' }) => (protocol === 'TCP' ? [containerPort] : [])),
    );
  } catch {
    // Anyone can write an annotation of this name.
    return [];
  }
}

const unique = (ports: readonly unknown[]): number[] =>
  [...new Set(ports)].filter(
    (port): port is number => Number.isInteger(port) && Number(port) > 0 && Number(port) < 65_536,
  );

export const hasProbes = ({ livenessProbe, readinessProbe, startupProbe }: ContainerSpec): boolean =>
  (livenessProbe ?? readinessProbe ?? startupProbe) !== undefined;

export function portsOf(spec: ContainerSpec): number[] {
  const { livenessProbe, readinessProbe, startupProbe, lifecycle } = spec;
  const handlers = [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop];
  const asked = handlers.map((handler) => handler && askedPort(handler, spec));
  const declared = spec.ports.filter(({ protocol = 'TCP' }) => protocol === 'TCP');
  return unique([...declared.map(({ containerPort }) => containerPort), ...asked]);
}

const LOCAL = /^(|localhost|127(\.\d+){3}|::1)$/;

export function askedPort(
  { httpGet, tcpSocket, grpc }: Partial<Handler>,
  { ports }: Pick<ContainerSpec, 'ports'>,
): number | undefined {
  const action = httpGet ?? tcpSocket ?? grpc;
  // Another host is not the container; probes of a pod in the node's network often use the node's loopback.
  if (action === undefined || ('host' in action && !LOCAL.test(action.host ?? ''))) return undefined;
  const { port } = action;
  return typeof port === 'string' ? ports.find(({ name }) => name === port)?.containerPort : port;
}

export const healthy = (ports: readonly number[]): string =>
  ports.length > 0 ? `healthy=${ports.join('+')}` : 'healthy';
