import type { Model } from '../conformance/linearize.js';

/** `gone`: removed or never created. */
export type ContainerIs = 'CREATED' | 'RUNNING' | 'EXITED' | 'gone';
export type SandboxIs = 'READY' | 'NOTREADY' | 'gone';

export interface PodState {
  readonly sandbox: SandboxIs;
  /** By alias; a missing one is gone. */
  readonly containers: Readonly<Record<string, ContainerIs>>;
}

/** The effect of a call on a pod, or the state that it reads. */
export type Action =
  | { readonly kind: 'run' | 'stop pod' | 'remove pod' | 'look at pod' }
  | {
      readonly kind: 'create' | 'start' | 'stop' | 'remove' | 'look';
      readonly container: string;
    };

/** Its result: done, refused, or the state that was read. */
export type Result = 'OK' | 'refused' | ContainerIs | SandboxIs;

export interface Done {
  readonly action: Action;
  readonly result: Result;
  readonly failure?: string;
}

export interface PodRules {
  /** Containers whose program exits. */
  readonly ends: ReadonlySet<string>;
  /** Whether running containers and sandboxes can be removed. */
  readonly canForce: boolean;
}

/**
 * The state machine of cri-api for one pod, with concurrent calls. A stop or a removal in progress may already have
 * ended a container, and a call that collides with another one on the same object may be refused.
 */
export function podModel(together: readonly Action[], rules: PodRules): Model<PodState, Action, Result> {
  const meets = meetingsOf(together);
  return (before, action, result) =>
    unseen(before, together, rules).flatMap((state) => next(state, action, result, { ...rules, meets }));
}

/** The other possible states of a pod: programs may have exited, or calls in progress may have had their effects. */
export function unseen(
  state: PodState,
  together: readonly Action[],
  { ends }: Pick<PodRules, 'ends'>,
): readonly PodState[] {
  const has = (kind: Action['kind'], container?: string) =>
    together.some((one) => one.kind === kind && (!('container' in one) || one.container === container));
  const removesPod = has('remove pod');
  const stopsPod = removesPod || has('stop pod');
  let states: PodState[] = [state];
  const also = (more: (one: PodState) => PodState | undefined) => {
    states = states.flatMap((one) => [one, more(one) ?? []].flat());
  };
  for (const name of Object.keys(state.containers)) {
    const isEnding = ends.has(name) || stopsPod || has('stop', name) || has('remove', name);
    if (isEnding) also((one) => (one.containers[name] === 'RUNNING' ? put(one, name, 'EXITED') : undefined));
    if (removesPod) also((one) => (one.containers[name] === 'gone' ? undefined : put(one, name, 'gone')));
  }
  if (stopsPod) also((one) => (one.sandbox === 'READY' ? { ...one, sandbox: 'NOTREADY' } : undefined));
  return states;
}

type Meets = (action: Action) => boolean;

function meetingsOf(together: readonly Action[]): Meets {
  const changes = together.filter(({ kind }) => !kind.startsWith('look'));
  return (action) =>
    changes.some(
      (other) =>
        other !== action &&
        (!('container' in other) || !('container' in action) || other.container === action.container),
    );
}

const put = (state: PodState, name: string, is: ContainerIs): PodState => ({
  ...state,
  containers: { ...state.containers, [name]: is },
});

interface Rules extends PodRules {
  readonly meets: Meets;
}

function next(state: PodState, action: Action, result: Result, rules: Rules): readonly PodState[] {
  if (!('container' in action)) return nextOfPod(state, action.kind, result, rules.meets(action), rules);
  const { kind, container } = action;
  const is = state.containers[container] ?? 'gone';
  if (kind === 'look') return result === is ? [state] : [];
  if (result === 'refused') {
    if (!mayRefuse(state, kind, is, rules.meets(action), rules)) return [];
    // A container that could not be started may have ended (containerd: exit code 128, StartError).
    return kind === 'start' && is === 'CREATED' ? [state, put(state, container, 'EXITED')] : [state];
  }
  switch (kind) {
    case 'create':
      return is === 'gone' && state.sandbox !== 'gone' ? [put(state, container, 'CREATED')] : [];
    case 'start':
      return is === 'CREATED' ? [put(state, container, 'RUNNING')] : [];
    case 'stop':
      // Some runtimes end a created container, too.
      if (is === 'CREATED') return [state, put(state, container, 'EXITED')];
      return [is === 'RUNNING' ? put(state, container, 'EXITED') : state];
    case 'remove':
      return [is === 'gone' ? state : put(state, container, 'gone')];
  }
}

function mayRefuse(
  { sandbox }: PodState,
  kind: 'create' | 'start' | 'stop' | 'remove',
  is: ContainerIs,
  meets: boolean,
  { canForce }: PodRules,
): boolean {
  if (meets || is === 'gone') return kind !== 'create' || meets || sandbox !== 'READY';
  if (kind === 'start') return is !== 'CREATED' || sandbox !== 'READY';
  return kind === 'create' || (kind === 'remove' && !canForce && is !== 'EXITED');
}

function nextOfPod(
  state: PodState,
  kind: 'run' | 'stop pod' | 'remove pod' | 'look at pod',
  result: Result,
  meets: boolean,
  { canForce }: PodRules,
): readonly PodState[] {
  const { sandbox, containers } = state;
  if (kind === 'look at pod') return result === sandbox ? [state] : [];
  if (result === 'refused') {
    const isForced = kind === 'remove pod' && !canForce && sandbox === 'READY';
    return meets || isForced || (sandbox === 'gone' && kind !== 'run') ? [state] : [];
  }
  if (kind === 'run') return sandbox === 'gone' ? [{ ...state, sandbox: 'READY' }] : [];
  if (kind === 'remove pod') return [{ sandbox: 'gone', containers: {} }];
  if (sandbox === 'gone') return [state];
  const ended = Object.entries(containers).map(
    ([name, is]) => [name, is === 'RUNNING' ? 'EXITED' : is] as const,
  );
  return [{ sandbox: 'NOTREADY', containers: Object.fromEntries(ended) }];
}
