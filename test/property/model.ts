import type { ErrorKind } from '../../src/cri/errors.js';

/** Behavior of a container's process after its start. */
export type Behavior = 'steady' | 'stubborn' | 'ends' | 'missing';

/** A request with ids known to its sender. */
export type Operation =
  | { readonly type: 'run'; readonly pod: number }
  | { readonly type: 'stopPod' | 'removePod'; readonly id: string }
  | { readonly type: 'create'; readonly podId: string; readonly name: string; readonly behavior: Behavior }
  | { readonly type: 'start' | 'remove' | 'exec' | 'update' | 'exit'; readonly id: string }
  | { readonly type: 'stop'; readonly id: string; readonly timeout: number }
  | { readonly type: 'pull' | 'removeImage' };

/** Outcome of a request: a created id (or empty), or the kind of the error. */
export type Outcome = { readonly ok: string } | { readonly error: ErrorKind };

export interface ModelContainer {
  readonly id: string;
  readonly podId: string;
  readonly name: string;
  readonly behavior: Behavior;
  readonly state: 'CREATED' | 'RUNNING' | 'EXITED';
  /** Exit codes that an EXITED container can have. */
  readonly exitCodes: readonly number[];
  /** Its process ended in the current step, so it can still be seen running. */
  readonly ending: boolean;
}

interface ModelPod {
  readonly id: string;
  readonly pod: number;
  readonly ready: boolean;
}

/** A client's knowledge about a runtime; never changed in place. */
export interface Model {
  readonly pods: ReadonlyMap<string, ModelPod>;
  readonly containers: ReadonlyMap<string, ModelContainer>;
  readonly pulled: boolean;
}

export const emptyModel: Model = { pods: new Map(), containers: new Map(), pulled: false };

const ENDS_WITH = 3;
export const INJECTED = 42;
const START_ERROR = 128;
const KILLED = 137;
const TERMINATED = 143;

/** Concurrent requests that make other outcomes possible. */
export interface Meanwhile {
  /** Another request for the same name is in progress. It can hold the name even if it fails in the end. */
  readonly rival: boolean;
  readonly cancelled: boolean;
  /**
   * Pods and containers whose removal is in progress: they pass through EXITED and NOTREADY, and a request can find
   * them in that state.
   */
  readonly leaving: ReadonlySet<string>;
}

/** The model after the operation, or undefined if this outcome is impossible in this state. */
export function step(
  model: Model,
  operation: Operation,
  outcome: Outcome,
  meanwhile: Meanwhile,
): Model | undefined {
  if (meanwhile.cancelled && 'error' in outcome && outcome.error === 'cancelled') return model;
  switch (operation.type) {
    case 'run':
      return stepRun(model, operation.pod, outcome, meanwhile);
    case 'stopPod':
      return ok(outcome) ? stopPod(model, operation.id) : undefined;
    case 'removePod':
      return ok(outcome) ? removePod(model, operation.id) : undefined;
    case 'create':
      return stepCreate(model, operation, outcome, meanwhile);
    case 'start':
      return metLeaving(model, operation.id, outcome, meanwhile)
        ? model
        : stepStart(model, operation.id, outcome);
    case 'stop':
      return ok(outcome) ? stopContainer(model, operation.id, operation.timeout) : undefined;
    case 'remove':
      return ok(outcome) ? removeContainer(model, operation.id) : undefined;
    case 'exec':
      return stepIf(model, operation.id, outcome, ['RUNNING'], meanwhile);
    case 'update':
      return stepIf(model, operation.id, outcome, ['CREATED', 'RUNNING'], meanwhile);
    case 'exit':
      return stepExit(model, operation.id, outcome, meanwhile);
    case 'pull':
      return ok(outcome) ? { ...model, pulled: true } : undefined;
    case 'removeImage':
      return ok(outcome) ? { ...model, pulled: false } : undefined;
  }
}

/** The model after all activity has ended. */
export function settled(model: Model): Model {
  const containers = new Map(model.containers);
  for (const container of containers.values()) containers.set(container.id, { ...container, ending: false });
  return { ...model, containers };
}

function ok(outcome: Outcome): outcome is Extract<Outcome, { ok: string }> {
  return 'ok' in outcome;
}

function stepRun(model: Model, pod: number, outcome: Outcome, { rival }: Meanwhile): Model | undefined {
  const taken = [...model.pods.values()].some((other) => other.pod === pod);
  if (!ok(outcome)) return outcome.error === 'conflict' && (taken || rival) ? model : undefined;
  if (taken) return undefined;
  return { ...model, pods: new Map(model.pods).set(outcome.ok, { id: outcome.ok, pod, ready: true }) };
}

function stopPod(model: Model, id: string): Model {
  const pod = model.pods.get(id);
  if (pod === undefined) return model;
  const containers = new Map(model.containers);
  for (const container of containers.values())
    if (container.podId === id && container.state === 'RUNNING')
      containers.set(container.id, exited(container, [KILLED]));
  return { ...model, containers, pods: new Map(model.pods).set(id, { ...pod, ready: false }) };
}

function removePod(model: Model, id: string): Model {
  const pods = new Map(model.pods);
  const containers = new Map(model.containers);
  pods.delete(id);
  for (const container of model.containers.values())
    if (container.podId === id) containers.delete(container.id);
  return { ...model, pods, containers };
}

function stepCreate(
  model: Model,
  { podId, name, behavior }: Extract<Operation, { type: 'create' }>,
  outcome: Outcome,
  { rival }: Meanwhile,
): Model | undefined {
  const pod = model.pods.get(podId);
  const taken = [...model.containers.values()].some((other) => other.podId === podId && other.name === name);
  if (ok(outcome)) {
    if (pod === undefined || !pod.ready || taken) return undefined;
    const container: ModelContainer = {
      id: outcome.ok,
      podId,
      name,
      behavior,
      state: 'CREATED',
      exitCodes: [],
      ending: false,
    };
    return withContainer(model, container);
  }
  const allowed: ErrorKind[] = [];
  if (pod === undefined) allowed.push('not-found');
  if (pod?.ready === false) allowed.push('wrong-state');
  if (taken || rival) allowed.push('conflict');
  return allowed.includes(outcome.error) ? model : undefined;
}

function stepStart(model: Model, id: string, outcome: Outcome): Model | undefined {
  const container = model.containers.get(id);
  if (container === undefined) return refused(outcome, 'not-found') ? model : undefined;
  const ready = model.pods.get(container.podId)?.ready === true;
  if (container.state !== 'CREATED' || !ready) return refused(outcome, 'wrong-state') ? model : undefined;
  switch (container.behavior) {
    case 'missing':
      if (ok(outcome)) return undefined;
      return withContainer(model, exited(container, [START_ERROR]));
    case 'ends':
      if (!ok(outcome)) return undefined;
      // Killed, if something else was faster than its own end.
      return withContainer(model, {
        ...exited(container, [ENDS_WITH, KILLED, TERMINATED, INJECTED]),
        ending: true,
      });
    default:
      return ok(outcome) ? withContainer(model, { ...container, state: 'RUNNING' }) : undefined;
  }
}

function stopContainer(model: Model, id: string, timeout: number): Model {
  const container = model.containers.get(id);
  if (container?.state !== 'RUNNING') return model;
  const killed = timeout === 0 || container.behavior === 'stubborn';
  return withContainer(model, exited(container, killed ? [KILLED] : [TERMINATED, KILLED]));
}

function removeContainer(model: Model, id: string): Model {
  const containers = new Map(model.containers);
  containers.delete(id);
  return { ...model, containers };
}

function stepExit(model: Model, id: string, outcome: Outcome, meanwhile: Meanwhile): Model | undefined {
  const container = model.containers.get(id);
  if (container?.state === 'RUNNING' && ok(outcome))
    return withContainer(model, exited(container, [INJECTED]));
  return stepIf(model, id, outcome, [], meanwhile);
}

/** An operation that some states allow, and that changes none. */
function stepIf(
  model: Model,
  id: string,
  outcome: Outcome,
  states: readonly ModelContainer['state'][],
  meanwhile: Meanwhile,
): Model | undefined {
  if (metLeaving(model, id, outcome, meanwhile)) return model;
  const container = model.containers.get(id);
  if (container === undefined) return refused(outcome, 'not-found') ? model : undefined;
  if (container.ending && ok(outcome)) return model;
  const allowed = states.includes(container.state);
  return (allowed ? ok(outcome) : refused(outcome, 'wrong-state')) ? model : undefined;
}

function metLeaving(model: Model, id: string, outcome: Outcome, { leaving }: Meanwhile): boolean {
  const podId = model.containers.get(id)?.podId ?? '';
  return (
    (leaving.has(id) || leaving.has(podId)) &&
    (refused(outcome, 'wrong-state') || refused(outcome, 'not-found'))
  );
}

function refused(outcome: Outcome, kind: ErrorKind): boolean {
  return 'error' in outcome && outcome.error === kind;
}

function exited(container: ModelContainer, exitCodes: readonly number[]): ModelContainer {
  return { ...container, state: 'EXITED', exitCodes };
}

function withContainer(model: Model, container: ModelContainer): Model {
  return { ...model, containers: new Map(model.containers).set(container.id, container) };
}
