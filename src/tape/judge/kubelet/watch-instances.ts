import {
  type ContainerEventResponse,
  ContainerState,
  type CreateContainerRequest,
} from '../../../cri/gen/runtime/v1/api.js';
import type { Lifecycles } from '../../world/lifecycles.js';
import type { Objects } from '../../world/objects.js';
import type { AnsweredCall, Watcher } from '../../world/watcher.js';
import type { Findings } from '../finding.js';
import { attemptsGrow, backsOff, oneInstance } from './instances.js';
import type { InstanceEvent, InstanceRule } from './rule.js';

export const instanceRules = {
  'one-instance': oneInstance,
  'attempts-grow': attemptsGrow,
  'backs-off': backsOff,
} as const satisfies Readonly<Record<string, InstanceRule>>;

/** Annotation that only a kubelet sets (kuberuntime/labels.go). */
const RESTART_COUNT = 'io.kubernetes.container.restartCount';
/** Minimum delay of a kubelet's back-off in ns, unless configured otherwise (kubelet.go). */
const LEAST_DELAY = 10_000_000_000;
const MOST = 10_000;

interface Instance {
  readonly id: string;
  readonly of: FollowedContainer;
  readonly attempt: number;
  /** Whether an event shows its end: a kubelet may have stopped checking. */
  isShownEnded: boolean;
}

interface FollowedContainer {
  /** `default/web` */
  readonly pod: string;
  readonly container: string;
  readonly instances: Set<Instance>;
  readonly running: Set<Instance>;
  readonly containerEvents: InstanceEvent[];
}

/** Rules for a kubelet's containers; containers of other clients are ignored. */
export interface InstanceWatcher extends Watcher {
  finish(): void;
}

export function watchInstances(
  objects: Objects,
  lifecycles: Lifecycles,
  findings: Findings,
): InstanceWatcher {
  const instances = new Map<string, Instance>();
  /** Instances whose start failed; the runtime may still execute it later. */
  const failed = new Set<Instance>();
  let hasDefaultDelay = true;

  const mayBeGone = ({ id }: Instance) =>
    objects.byId.get(id)?.presence !== 'present' || lifecycles.isRemoved(id);
  const hasEnded = (instance: Instance) =>
    mayBeGone(instance) ||
    instance.isShownEnded ||
    objects.byId.get(instance.id)?.least === 2 ||
    lifecycles.get(instance.id)?.state === 2;

  const followed = followContainers({
    mayBeGone,
    forgotten: (instance) => {
      instances.delete(instance.id);
      failed.delete(instance);
    },
    judge: ({ pod, container, containerEvents }) => {
      for (const [name, rule] of Object.entries(instanceRules)) {
        if (rule === backsOff && !hasDefaultDelay) continue;
        for (const { message, lines = [] } of rule.check({ run: { containerEvents, pods: [] } }))
          findings.add(name, `${pod}/${container}`, message, lines);
      }
    },
  });
  const created = ({ call, reply }: AnsweredCall) => {
    const { config, sandboxConfig } = call.message.value<CreateContainerRequest>();
    const id = reply.message?.value<{ containerId: string }>().containerId;
    const { name: pod, namespace, uid } = sandboxConfig?.metadata ?? {};
    if (config?.annotations[RESTART_COUNT] === undefined || !config.metadata || !id || !uid) return;
    const { name, attempt } = config.metadata;
    const instance = {
      id,
      of: followed.get(`${uid} ${name}`, `${namespace}/${pod}`, name),
      attempt,
      isShownEnded: false,
    };
    instance.of.instances.add(instance);
    instances.set(id, instance);
  };
  const started = (instance: Instance, { reply, replyLine: line }: AnsweredCall) => {
    const { pod, container, running, containerEvents: all, instances: known } = instance.of;
    const t = Math.round(reply.t / 1e6) / 1000;
    const happened = (what: InstanceEvent['what'], { attempt }: Instance) =>
      all.push({ t, pod, container, attempt, what, line });
    for (const each of known) {
      if (each === instance) continue;
      if (hasEnded(each) && running.delete(each)) happened('ended', each);
      if (!mayBeGone(each)) continue;
      known.delete(each);
      instances.delete(each.id);
    }
    running.add(instance);
    happened('started', instance);
  };
  const startEnded = (answered: AnsweredCall) => {
    const { containerId } = answered.call.message.value<{ containerId: string }>();
    const instance = instances.get(objects.find(containerId)?.id ?? containerId);
    if (instance === undefined) return;
    if (answered.isOk) started(instance, answered);
    else failed.add(instance);
  };

  return {
    answered: (answered) => {
      if (answered.isOk && answered.method === 'CreateContainer') created(answered);
      if (answered.method === 'StartContainer') startEnded(answered);
      for (const each of failed) {
        const isLate = !each.of.running.has(each) && objects.byId.get(each.id)?.hasRun;
        if (isLate && !hasEnded(each)) started(each, answered);
        if (isLate || mayBeGone(each)) failed.delete(each);
      }
    },
    streamed: ({ entry }) => {
      const { containersStatuses } = entry.message.value<ContainerEventResponse>();
      for (const { id, state } of containersStatuses) {
        const instance = instances.get(id);
        if (instance !== undefined && state === ContainerState.CONTAINER_EXITED) instance.isShownEnded = true;
      }
    },
    decided: ({ delay }) => {
      if (delay > 0 && delay < LEAST_DELAY) hasDefaultDelay = false;
    },
    forget: followed.finish,
    finish: followed.finish,
  };
}

interface FollowOptions {
  readonly mayBeGone: (instance: Instance) => boolean;
  readonly forgotten: (instance: Instance) => void;
  readonly judge: (container: FollowedContainer) => void;
}

/** Follows each container while one of its instances may exist, and judges it once, at the end of that. */
function followContainers({ mayBeGone, forgotten, judge }: FollowOptions) {
  const followed = new Map<string, FollowedContainer>();
  const end = (key: string, container: FollowedContainer) => {
    followed.delete(key);
    for (const each of container.instances) forgotten(each);
    judge(container);
  };
  return {
    /** Without an existing instance, a container starts again with the first attempt. */
    get: (key: string, pod: string, container: string): FollowedContainer => {
      const before = followed.get(key);
      if (
        before !== undefined &&
        before.containerEvents.length < MOST &&
        ![...before.instances].every(mayBeGone)
      )
        return before;
      if (before !== undefined) end(key, before);
      const made = {
        ...{ pod, container, containerEvents: [] },
        instances: new Set<Instance>(),
        running: new Set<Instance>(),
      };
      followed.set(key, made);
      const [oldest] = followed;
      if (followed.size > MOST && oldest !== undefined) end(...oldest);
      return made;
    },
    finish: () => {
      for (const each of followed) end(...each);
    },
  };
}
