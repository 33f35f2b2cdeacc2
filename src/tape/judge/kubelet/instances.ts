import { podText } from '../../pod-text.js';
import {
  goneAt,
  type InstanceEvent,
  type InstanceRule,
  type Instances,
  type RunBreach,
  type RunFacts,
  type RunRule,
} from './rule.js';

/** Starts of one container within a minute that no back-off of the kubelet allows (crash-loop.ts: 10 s, doubled). */
const MOST_STARTS = 8;
const MINUTE = 60;

function containerEventsOf({
  run,
}: {
  readonly run: Instances;
}): { pod: string; container: string; containerEvents: InstanceEvent[] }[] {
  const found = new Map<string, { pod: string; container: string; containerEvents: InstanceEvent[] }>();
  for (const event of run.containerEvents) {
    const key = `${event.pod} ${event.container}`;
    const made = found.get(key) ?? { pod: event.pod, container: event.container, containerEvents: [] };
    made.containerEvents.push(event);
    found.set(key, made);
  }
  return [...found.values()];
}

/** A kubelet never runs two instances of one container (SyncPod first kills the old one). */
export const oneInstance: InstanceRule = {
  title: 'no two instances of a container run at the same time',
  check: (facts) =>
    containerEventsOf(facts).flatMap(({ pod, container, containerEvents }) => {
      let running = 0;
      let last: InstanceEvent | undefined;
      for (const event of containerEvents) {
        const { t, what, attempt } = event;
        running += what === 'started' ? 1 : -1;
        if (running > 1)
          return [
            {
              pod,
              lines: linesOf(last, event),
              message: `${running} instances of ${pod}/${container} run at once from ${t}s: attempt ${attempt} started while attempt ${last?.attempt} was still running`,
            },
          ];
        if (what === 'started') last = event;
      }
      return [];
    }),
};

const linesOf = (...containerEvents: readonly (InstanceEvent | undefined)[]): number[] =>
  containerEvents.flatMap((event) => event?.line ?? []);

/** The attempt of each new instance is higher than earlier ones (kuberuntime_container.go startContainer). */
export const attemptsGrow: InstanceRule = {
  title: 'each new instance of a container has a higher attempt',
  check: (facts) =>
    containerEventsOf(facts).flatMap(({ pod, container, containerEvents }): RunBreach[] => {
      const started = containerEvents.filter(({ what }) => what === 'started');
      const gone = goneAt(facts.run, pod) !== undefined;
      const index = started.findIndex(
        ({ attempt }, at) => at > 0 && attempt <= (started[at - 1]?.attempt ?? -1),
      );
      const [event, before] = [started[index], started[index - 1]];
      if (event === undefined || before === undefined || gone) return [];
      const message = `container ${container} of pod ${pod} starts with attempt ${event.attempt} at ${event.t}s, after attempt ${before.attempt} at ${before.t}s`;
      return [{ pod, message, lines: linesOf(before, event) }];
    }),
};

/** A container that must not restart stays ended (kuberuntime_container.go ShouldContainerBeRestarted). */
export const doneStaysDone: RunRule = {
  title: 'a finished container is not started again',
  check: (facts) =>
    containerEventsOf(facts).flatMap(({ pod, container, containerEvents }): RunBreach[] => {
      const policy = policyOf(facts, pod, container);
      if (policy === undefined || policy === 'Always') return [];
      const done = containerEvents.findIndex(
        ({ what, exitCode }) => what === 'ended' && (policy === 'Never' || exitCode === 0),
      );
      const again = done < 0 ? undefined : containerEvents.slice(done).find(({ what }) => what === 'started');
      if (again === undefined) return [];
      const code = containerEvents[done]?.exitCode;
      const message = `container ${container} of pod ${pod} (restartPolicy ${policy}) ended with ${code} at ${containerEvents[done]?.t}s and is started again at ${again.t}s`;
      return [{ pod, message }];
    }),
};

function policyOf({ pods }: RunFacts, name: string, container: string): string | undefined {
  const pod = pods.find(({ metadata }) => podText(metadata) === name);
  // Init containers run again in a new sandbox, regardless of their policy.
  const found = pod?.spec.containers.find((each) => each.name === container);
  // A container with its own policy or rules (KEP-5307) may restart with the others.
  return found?.restartPolicy === undefined && found?.restartPolicyRules.length === 0
    ? pod?.spec.restartPolicy
    : undefined;
}

/** Restarts wait 10 s, doubled up to 300 s (crashLoopBackOff of the kubelet's configuration). */
export const backsOff: InstanceRule = {
  title: 'restarts of a container wait for the back-off',
  check: (facts) =>
    containerEventsOf(facts).flatMap(({ pod, container, containerEvents }): RunBreach[] => {
      const started = containerEvents.filter(({ what }) => what === 'started');
      const starts = started.map(({ t }) => t);
      const index = starts.findIndex(
        (t, at) => (starts[at + MOST_STARTS] ?? Number.POSITIVE_INFINITY) - t <= MINUTE,
      );
      if (index < 0) return [];
      const count = starts.filter(
        (t) => t >= (starts[index] ?? 0) && t <= (starts[index] ?? 0) + MINUTE,
      ).length;
      return [
        {
          pod,
          lines: linesOf(started[index], started[index + MOST_STARTS]),
          message: `container ${container} of pod ${pod} is started ${count} times within a minute from ${starts[index]}s on, without back-off`,
        },
      ];
    }),
};
