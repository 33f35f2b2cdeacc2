import type { Pod } from '../kubernetes/pod.js';
import type { ContainerApiStatus, PodApiStatus, PodCondition } from '../kubernetes/pod-status.js';
import type { KubeletVersion } from '../types/version.js';
import { hasStartedRegular } from './phase.js';

export interface ConditionInput {
  readonly pod: Pod;
  readonly phase: PodApiStatus['phase'];
  readonly init: readonly ContainerApiStatus[];
  readonly regular: readonly ContainerApiStatus[];
}

/** GenerateContainersReadyCondition (status/generate.go). Sidecars count, other init containers do not. */
export function containersReady({ pod, phase, init, regular }: ConditionInput): PodCondition {
  const type = 'ContainersReady';
  const sidecars = pod.spec.initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always');
  const names = [...sidecars, ...pod.spec.containers].map(({ name }) => name);
  const byName = new Map([...init, ...regular].map((status) => [status.name, status]));
  const unknown = names.filter((name) => !byName.has(name));
  const unready = names.filter((name) => byName.get(name)?.ready === false);
  if (phase === 'Succeeded' && unknown.length === 0) return { type, status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { type, status: 'False', reason: 'PodFailed' };
  const message = problems(unknown, 'unready', unready);
  return message === ''
    ? { type, status: 'True' }
    : { type, status: 'False', reason: 'ContainersNotReady', message };
}

/** GeneratePodReadyCondition: the containers are ready, and every readiness gate is true in the API. */
export function podReady(input: ConditionInput): PodCondition {
  const type = 'Ready';
  const containers = containersReady(input);
  if (containers.status !== 'True') return { ...containers, type };
  const { spec, status } = input.pod;
  const closed = (spec.readinessGates ?? []).flatMap(({ conditionType: gate }) => {
    const condition = status?.conditions.find((each) => each.type === gate);
    if (condition === undefined)
      return [`corresponding condition of pod readiness gate "${gate}" does not exist.`];
    if (condition.status === 'True') return [];
    return [`the status of pod readiness gate "${gate}" is not "True", but ${condition.status}`];
  });
  if (closed.length === 0) return { type, status: 'True' };
  return { type, status: 'False', reason: 'ReadinessGatesNotReady', message: closed.join(', ') };
}

/** GeneratePodInitializedCondition. A pod whose regular containers have started stays initialized. */
export function initialized({ pod, phase, init, regular }: ConditionInput): PodCondition {
  const type = 'Initialized';
  const byName = new Map(init.map((status) => [status.name, status]));
  const unknown: string[] = [];
  const incomplete: string[] = [];
  for (const { name, restartPolicy } of pod.spec.initContainers) {
    const status = byName.get(name);
    if (status === undefined) unknown.push(name);
    else if (!(restartPolicy === 'Always' ? status.started : status.ready)) incomplete.push(name);
  }
  if (phase === 'Succeeded' && unknown.length === 0) return { type, status: 'True', reason: 'PodCompleted' };
  if (hasStartedRegular(regular)) return { type, status: 'True' };
  const message = problems(unknown, 'incomplete', incomplete);
  return message === ''
    ? { type, status: 'True' }
    : { type, status: 'False', reason: 'ContainersNotInitialized', message };
}

/** True if a sandbox with network exists; from 1.37 on it says what is wrong with the sandbox. */
export function readyToStartContainers(
  problem: string | undefined,
  version?: Pick<KubeletVersion, 'minor'>,
): PodCondition {
  const type = 'PodReadyToStartContainers';
  if (problem === undefined) return { type, status: 'True' };
  const why = (version?.minor ?? 0) >= 37 ? { reason: 'PodSandboxNotReady', message: problem } : {};
  return { type, status: 'False', ...why };
}

function problems(unknown: readonly string[], word: string, names: readonly string[]): string {
  const lines: string[] = [];
  if (unknown.length > 0) lines.push(`containers with unknown status: [${unknown.join(' ')}]`);
  if (names.length > 0) lines.push(`containers with ${word} status: [${names.join(' ')}]`);
  return lines.join(', ');
}
