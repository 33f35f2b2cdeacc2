import { formatDuration } from '../../../base/input/duration.js';
import { readRules } from '../../../runtime/faults/language/written-rule.js';
import type { LoadedAction, LoadedScenario } from '../../scenario/file/loaded-scenario.js';
import { endOf, type Schedule, seedOf } from '../catalog/perturbation.js';

/**
 * How long a run continues after the last perturbation, in ms: the longest time in which the kubelet corrects
 * everything. A sync happens at least every 90 s (syncFrequency with its jitter), plus a back-off of 10 or 20 s.
 */
export const SETTLING = 110_000;

/** Length of a run with this schedule, in whole seconds (ms). Without faults nothing needs correction. */
export function lengthOf({ until }: Pick<LoadedScenario, 'until'>, schedule: Schedule): number {
  if (schedule.every(({ seed }) => seed !== undefined)) return until;
  return Math.max(until, Math.ceil((endOf(schedule) + SETTLING) / 1000) * 1000);
}

/** A step that ends a container is an error if the container does not run; a rule then does nothing. */
function exitRule(at: number, { pod, container, code, reason }: NonNullable<LoadedAction['exitContainer']>) {
  return {
    match: { pod: { name: pod }, container: { name: container } },
    on: 'time' as const,
    ...(at > 0 && { when: { during: { from: formatDuration(at) } } }),
    then: { exit: { code, ...(reason !== undefined && { reason }) } },
  };
}

function namesFor({ faults }: LoadedScenario): (index: number) => string {
  const taken = faults.some(({ spec }) => spec.name?.startsWith('explore-') === true);
  return (index) => `${taken ? 'again-' : ''}explore-${index + 1}`;
}

export function ruleNames(base: LoadedScenario, schedule: Schedule): string[][] {
  const nameOf = namesFor(base);
  let next = base.timeline.filter(({ do: action }) => action.exitContainer !== undefined).length;
  return schedule.map(({ rules }) => rules.map(() => nameOf(next++)));
}

export function perturbed(base: LoadedScenario, schedule: Schedule): LoadedScenario {
  const exits = base.timeline.flatMap(({ at, do: { exitContainer } }) =>
    exitContainer === undefined ? [] : [exitRule(at, exitContainer)],
  );
  const rules = [...exits, ...schedule.flatMap(({ rules }) => rules)];
  const nameOf = namesFor(base);
  const named = rules.map((rule, index) => ({ name: nameOf(index), ...rule }));
  const steps = schedule.flatMap(({ steps }) => steps.map(({ at, kubelet }) => ({ at, do: { kubelet } })));
  return {
    ...base,
    seed: seedOf(schedule) ?? base.seed,
    variants: [],
    faults: [...base.faults, ...readRules(named, 'schedule')],
    timeline: [...base.timeline.filter(({ do: action }) => action.exitContainer === undefined), ...steps],
    until: lengthOf(base, schedule),
  };
}
