import { formatDuration, parseDuration } from '../../../base/input/duration.js';
import { ordinal } from '../../explore/catalog/make.js';
import type { Perturbation, Schedule, UnnamedRule } from '../../explore/catalog/perturbation.js';
import { scheduled } from '../../explore/catalog/perturbation.js';
import { resized } from '../../explore/shrink/shorter.js';

const FACTORS = [0.25, 0.5, 0.75, 1.25, 1.5, 2, 4];
/** In ms: shorter times need no shortening. */
const LEAST = 100;
const ENDS = 3;

export const otherLengths = (schedule: Schedule): Schedule[] =>
  variants(schedule, (each) => FACTORS.flatMap((factor) => resized(each, (time) => time * factor, LEAST)));

/** Lets one perturbation last until one of the next `times` (ms), nearest first. */
export const lastingUntil = (schedule: Schedule, times: readonly number[]): Schedule[] =>
  variants(schedule, (each) =>
    times
      .filter((time) => time - each.at >= LEAST)
      .slice(0, ENDS)
      .flatMap((time) => resized(each, () => time - each.at, LEAST)),
  );

/** Shifts one perturbation by each of these times, in ms. */
export const otherTimes = (schedule: Schedule, shifts: readonly number[]): Schedule[] =>
  variants(schedule, (each) => shifts.flatMap((by) => moved(each, by) ?? []));

/** Moves one perturbation to the previous or next call or message. */
export const otherCalls = (schedule: Schedule): Schedule[] =>
  variants(schedule, (each) => [-1, 1].flatMap((by) => atOtherCall(each, by) ?? []));

export const repeated = (schedule: Schedule, every: number, times: number): Schedule[] =>
  variants(schedule, (each) => {
    const [rule, ...more] = each.rules;
    if (rule === undefined || more.length > 0 || rule.on !== 'time') return [];
    const text = ` ${times} times, every ${formatDuration(every)}`;
    const rules = [{ ...rule, when: { ...rule.when, every: formatDuration(every), times } }];
    return [
      {
        ...each,
        id: `${each.id}${text}`,
        text: `${each.text}${text}`,
        rules,
        until: each.until + every * (times - 1),
      },
    ];
  });

function variants(schedule: Schedule, make: (each: Perturbation) => readonly Perturbation[]): Schedule[] {
  return schedule.flatMap((each, index) =>
    make(each).map((made) => scheduled(schedule.map((other, at) => (at === index ? told(made) : other)))),
  );
}

const told = (made: Perturbation): Perturbation => ({
  ...made,
  id: `${made.kind} @ ${JSON.stringify([made.rules, made.steps])}`,
});

/** Undefined if the number of the call decides its position. */
function moved(given: Perturbation, by: number): Perturbation | undefined {
  const at = Math.max(0, Math.round(given.at + by));
  const shift = at - given.at;
  const rules = given.rules.map((rule) => movedRule(rule, shift));
  if (shift === 0 || rules.some((rule) => rule === undefined)) return undefined;
  return {
    ...given,
    at,
    until: given.until + shift,
    text: given.text.replace(/\b(at|from) \d[\dhms.µ]*/, `$1 ${formatDuration(at)}`),
    rules: rules as UnnamedRule[],
    steps: given.steps.map((step) => ({ ...step, at: Math.max(0, Math.round(step.at + shift)) })),
  };
}

/** Undefined if its time decides its position. */
function atOtherCall(given: Perturbation, by: number): Perturbation | undefined {
  const [rule, ...more] = given.rules;
  if (rule?.when?.times !== 1 || rule.when.during !== undefined || more.length > 0) return undefined;
  const { after: before = 0, ...when } = rule.when;
  const after = before + by;
  if (after < 0) return undefined;
  return {
    ...given,
    text: given.text.replace(/\bthe \w+ (.*?) \(at [^)]+\)/, `the ${ordinal(after + 1)} $1`),
    rules: [{ ...rule, when: { ...when, ...(after > 0 && { after }) } }],
  };
}

function movedRule(rule: UnnamedRule, shift: number): UnnamedRule | undefined {
  if (rule.on !== 'time' && rule.when?.during === undefined) return undefined;
  const during = rule.when?.during ?? {};
  const from = Math.max(0, Math.round((parseDuration(String(during.from ?? '0s')) ?? 0) + shift));
  const { from: _, ...rest } = during;
  const next = { ...rest, ...(from > 0 && { from: formatDuration(from) }) };
  const { during: __, ...when } = rule.when ?? {};
  return { ...rule, when: { ...when, ...(Object.keys(next).length > 0 && { during: next }) } };
}
