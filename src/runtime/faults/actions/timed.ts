import type { Clock, Timer } from '../../../base/clock/clock.js';
import type { FaultListener } from '../application.js';
import type { FaultRegistry } from '../matching/registry.js';
import type { Rule } from '../matching/rule.js';
import type { Effects } from './effects.js';

/**
 * Runs the rules that act at a time: at `during.from` after they came into force, and then every `every`, up to `times`
 * (once, without a period). Returns a function that stops them.
 */
export function runTimedRules(
  registry: FaultRegistry,
  effects: Effects,
  clock: Clock,
  onFault?: FaultListener,
): () => void {
  const timers = new Map<Rule, Timer>();

  const fire = (rule: Rule) => {
    timers.delete(rule);
    if (rule.released.aborted) return;
    rule.see();
    if (rule.decide('', registry.conditions)) {
      rule.conclude(true);
      onFault?.({ rule, trigger: 'time', method: undefined, subject: {} });
      if (rule.spec.action) effects.perform(rule.spec.action, rule, {});
    }
    const period = periodOf(rule);
    if (period !== undefined && rule.pending) arm(rule, period);
  };

  const arm = (rule: Rule, delay: number) =>
    timers.set(
      rule,
      clock.setTimer(delay, () => fire(rule)),
    );

  const adopt = () => {
    for (const rule of registry.rulesOn('time')) {
      if (!rule.adopt()) continue;
      arm(rule, rule.spec.when.during?.from ?? 0);
    }
    for (const [rule, timer] of timers) if (rule.released.aborted) timer.cancel();
  };

  adopt();
  const stop = registry.onChange(adopt);
  return () => {
    stop();
    for (const timer of timers.values()) timer.cancel();
  };
}

function periodOf(rule: Rule): number | undefined {
  const { every } = rule.spec.when;
  return typeof every === 'object' ? every.period : undefined;
}
