import type { Runtime } from '../runtime/engine/runtime.js';

/** Selects the newest matching attempt. */
export interface ContainerQuery {
  readonly name: string;
  readonly pod?: string;
  readonly namespace?: string;
}

export interface ContainerControl {
  readonly id: string;
  /** The current state; `GONE` once it is removed. */
  readonly state: string;
  readonly attempt: number;
  /** Ends its process as if it exited by itself. */
  exit(code?: number): Promise<void>;
  /** Ends it like the kernel's OOM killer: 137, OOMKilled. */
  oom(): Promise<void>;
  /** Makes it CONTAINER_UNKNOWN, as after a lost shim. */
  loseStatus(): void;
}

const KILLED = 137;

/** Throws if no container matches. */
export function controlContainer(runtime: Runtime, wanted: ContainerQuery): ContainerControl {
  const all = containersOf(runtime);
  const { id, attempt } =
    all.filter((each) => fits(each, wanted)).sort((a, b) => b.attempt - a.attempt)[0] ?? missing(wanted, all);
  return {
    id,
    attempt,
    get state() {
      return containersOf(runtime).find((each) => each.id === id)?.state ?? 'GONE';
    },
    exit: (code = 0) => runtime.exitContainer(id, { exitCode: code }),
    oom: () => runtime.exitContainer(id, { exitCode: KILLED, reason: 'OOMKilled' }),
    loseStatus: () => runtime.loseContainerStatus(id),
  };
}

interface Found {
  readonly id: string;
  readonly name: string;
  readonly attempt: number;
  readonly state: string;
  readonly pod: string;
  readonly namespace: string;
}

const containersOf = (runtime: Runtime): Found[] =>
  runtime
    .snapshot()
    .sandboxes.flatMap(({ name: pod, namespace, containers }) =>
      containers.map(({ id, name, attempt, state }) => ({ id, name, attempt, state, pod, namespace })),
    );

const fits = (container: Found, { name, pod, namespace }: ContainerQuery): boolean =>
  container.name === name &&
  (pod === undefined || container.pod === pod) &&
  (namespace === undefined || container.namespace === namespace);

function missing(query: ContainerQuery, all: readonly Found[]): never {
  const there = all.map(({ namespace, pod, name }) => `${namespace}/${pod}/${name}`).join(', ');
  throw new Error(`no container ${JSON.stringify(query)}; there are: ${there || 'none'}`);
}
