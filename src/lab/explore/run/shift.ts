import { formatDuration, parseDuration } from '../../../base/input/duration.js';
import type { Entry } from '../../../tape/entries.js';
import type { Perturbation, Schedule, UnnamedRule } from '../catalog/perturbation.js';
import { isWork } from '../points/state.js';

/** When the kubelet first changes the runtime, in ms; undefined if it never does. */
export function firstWork(entries: readonly Entry[]): number | undefined {
  const call = entries.find((entry) => entry.kind === 'call' && isWork(entry.method));
  return call && call.t / 1e6;
}

/** Shifts a schedule for a kubelet that does everything `by` ms later. A kubelet start keeps its time. */
export const shifted = (schedule: Schedule, by: number): Schedule =>
  schedule.map((perturbation) => shiftedPerturbation(perturbation, Math.round(by)));

function shiftedPerturbation(perturbation: Perturbation, by: number): Perturbation {
  const moved = (at: number) => Math.max(0, at + by);
  return {
    ...perturbation,
    rules: perturbation.rules.map((rule) => shiftedRule(rule, moved)),
    steps: perturbation.steps.map((step) => ({ ...step, at: moved(step.at) })),
  };
}

function shiftedRule(rule: UnnamedRule, moved: (at: number) => number): UnnamedRule {
  const { when } = rule;
  const from = when?.during?.from === undefined ? undefined : parseDuration(when.during.from);
  if (when === undefined || from === undefined) return rule;
  return { ...rule, when: { ...when, during: { ...when.during, from: formatDuration(moved(from)) } } };
}
