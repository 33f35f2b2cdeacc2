import { CriError } from '../../cri/errors.js';
import type { ContainerFacts, PodFacts } from '../../cri/subject.js';
import type { Runtime } from '../engine/runtime.js';
import type { FaultTarget } from '../faults/host.js';

type Subject = NonNullable<ReturnType<Runtime['find']>>;

export function runtimeTarget(
  runtime: Runtime,
  warn: (message: string, error: unknown) => void,
): FaultTarget {
  const isTrue = (type: string) => runtime.conditions.find((each) => each.type === type)?.status ?? true;
  return {
    pod: (id) => podFacts(runtime.find(id)),
    container: (id) => containerFacts(runtime.find(id)),
    conditions: () => ({ runtime: isTrue('RuntimeReady'), network: isTrue('NetworkReady') }),
    *runningContainers() {
      for (const subject of runtime.running()) {
        const facts = containerFacts(subject);
        if (facts) yield facts;
      }
    },
    exitContainer: (id, { exitCode, reason }) => {
      runtime.exitContainer(id, { exitCode, ...(reason !== undefined && { reason }) }).catch((error) => {
        // The container has ended or is gone already: the rule has nothing left to do.
        const isOver = error instanceof CriError && ['wrong-state', 'not-found'].includes(error.kind);
        if (!isOver) warn(`a fault rule could not end container ${id}`, error);
      });
    },
    overrideCondition: (type, override) => runtime.overrideCondition(type, override && { type, ...override }),
    skewClock: (by) => runtime.skewClock(by),
    loseState: () => runtime.loseState(),
  };
}

function podFacts(subject: Subject | undefined): PodFacts | undefined {
  return subject?.pod;
}

function containerFacts(subject: Subject | undefined): ContainerFacts | undefined {
  return subject?.container && { ...subject.container, sandboxId: subject.pod.id };
}
