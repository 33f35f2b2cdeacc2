import { BEHAVIOR_ANNOTATION } from '../../../../../adapters/memory/containers/choose-behavior.js';
import { decide } from '../../../../../adapters/memory/guess/decide.js';
import {
  containerOf,
  factsOfPod,
  type PodFacts,
  type UnknownImages,
} from '../../../../../adapters/memory/guess/facts.js';
import type { ContainerSpec } from '../../../../kubelet/kubernetes/container.js';
import { type DataKind, isContentKnown } from '../../../../kubelet/kubernetes/data-objects.js';
import type { PodSpec } from '../../../../kubelet/kubernetes/pod.js';
import type { PodApiStatus } from '../../../../kubelet/kubernetes/pod-status.js';
import { findService, portsLedTo, type Service } from '../../../../kubelet/kubernetes/services.js';
import { guessFromStatus } from './from-status.js';
import type { Guess } from './guess.js';

export interface KnownPod {
  readonly name: string;
  readonly namespace: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: PodSpec;
  readonly status?: PodApiStatus | undefined;
  readonly unknownImages: UnknownImages;
  /** Whether the files contain an object in the pod's namespace. */
  readonly hasData: (kind: DataKind, name: string) => boolean;
  /** Services that select pods of the simulation. */
  readonly services: readonly Service[];
}

export interface PlacedGuess extends Guess {
  readonly at: readonly (string | number)[];
}

/** Mounts with known contents: the data of an object that is in none of the files is unknown. */
const knownMounts = ({ spec, hasData }: KnownPod, { volumeMounts }: ContainerSpec): string[] =>
  volumeMounts.flatMap(({ name, mountPath }) => {
    const volume = spec.volumes.find((each) => each.name === name);
    return volume === undefined || isContentKnown(volume, hasData) ? [mountPath] : [];
  });

/** Guesses the behavior of containers without an annotation: from the status, otherwise from image and command. */
export function guessContainers(pod: KnownPod): PlacedGuess[] {
  const { initContainers, containers } = pod.spec;
  const ledTo = portsLedTo(pod.services, pod, containers);
  const facts: PodFacts = { metadata: pod, spec: pod.spec, ledTo };
  const lists = [
    ['initContainers', 'initContainerStatuses', initContainers],
    ['containers', 'containerStatuses', containers],
  ] as const;
  return lists.flatMap(([list, statuses, specs]) =>
    specs.flatMap((spec, index) => {
      if (pod.annotations[`${BEHAVIOR_ANNOTATION}${spec.name}`] !== undefined) return [];
      const { role = 'regular' } = containerOf(facts, spec.name) ?? {};
      const all = pod.status?.[statuses] ?? [];
      const found = all.findIndex(({ name }) => name === spec.name);
      const status = all[found];
      const known = status && {
        spec,
        role,
        status,
        pod,
        gracePeriod: pod.spec.terminationGracePeriodSeconds,
        seenAt: lastTime(pod.status),
      };
      const guess = known && guessFromStatus(known);
      if (guess !== undefined) return [{ ...guess, at: ['status', statuses, found, ...guess.path] }];
      const { field, ...decided } = decide({
        ...factsOfPod(facts, spec, role),
        mounts: knownMounts(pod, spec),
        hasHost: (name) => findService(pod.services, name, pod.namespace) !== undefined,
      });
      if (decided.behavior !== undefined && pod.unknownImages === 'fail') return [];
      return [{ ...decided, container: spec.name, path: [field], at: ['spec', list, index, field] }];
    }),
  );
}

function lastTime(status: PodApiStatus | undefined): bigint | undefined {
  if (status === undefined) return undefined;
  const times = [
    ...status.conditions.map(({ lastTransitionTime }) => lastTransitionTime),
    ...[...status.initContainerStatuses, ...status.containerStatuses].flatMap(({ state }) =>
      state.kind === 'running' ? [state.startedAt] : state.kind === 'terminated' ? [state.finishedAt] : [],
    ),
  ].filter((time) => time !== undefined);
  return times.reduce<bigint | undefined>(
    (last, time) => (last === undefined || time > last ? time : last),
    undefined,
  );
}
