import { readRules } from '../faults/language/written-rule.js';
import type { LoadedScenario } from '../scenario/loaded-scenario.js';
import { endOf, type Schedule } from './perturbation.js';

/**
 * How long a run continues after the last perturbation, in ms: the longest that the kubelet may take to correct
 * everything. A sync comes at least every 90 s (syncFrequency with its jitter), and a back-off of 10 or 20 s may be added.
 */
export const SETTLING = 110_000;

/** How long a run with this schedule must be, in ms; whole seconds. */
export function lengthOf({ until }: Pick<LoadedScenario, 'until'>, schedule: Schedule): number {
  if (schedule.length === 0) return until;
  return Math.max(until, Math.ceil((endOf(schedule) + SETTLING) / 1000) * 1000);
}

/** The scenario with what the schedule adds to it. What it expects is left out. */
export function perturbed(base: LoadedScenario, schedule: Schedule): LoadedScenario {
  const rules = schedule.flatMap(({ rules }) => rules);
  const named = rules.map((rule, index) => ({ name: `explore-${index + 1}`, ...rule }));
  const steps = schedule.flatMap(({ steps }) => steps.map(({ at, kubelet }) => ({ at, do: { kubelet } })));
  return {
    ...base,
    variants: [],
    faults: [...base.faults, ...readRules(named, 'schedule')],
    timeline: [...base.timeline, ...steps],
    until: lengthOf(base, schedule),
  };
}
