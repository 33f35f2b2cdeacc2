import { formatDuration } from '../../../base/input/duration.js';
import { identifiesContainer, identifiesPod } from '../../../cri/subject.js';
import { namesOf } from './methods.js';
import type { FaultSpec } from './spec.js';

/** Reports a problem: its place in the rule (`match.method`), and its text. */
export type Say = (path: string, message: string) => void;

/** The shortest period of a rule on time, in ms: a shorter one would leave time for nothing else. */
const SHORTEST_PERIOD = 1;

/** Reports times and counts that never let a rule act. */
export function checkWhen(spec: FaultSpec, say: Say): void {
  const { when, trigger } = spec;
  if (when.during?.for === 0) say('when.during.for', '0s never applies; leave it out for no end');
  if (trigger === 'time') checkTimes(when, say);
  else if (typeof when.every === 'object')
    say('when.every', `a period is for rules on time; on ${trigger} give a whole number of ${trigger}s`);
  checkPer(spec, say);
}

/** A rule on time acts once, or repeatedly with a period. */
function checkTimes({ after = 0, times = 1, every, during }: FaultSpec['when'], say: Say): void {
  if (typeof every === 'number') {
    say('when.every', 'a rule on time is repeated by a period; give a duration such as "10s"');
  } else if (every === undefined) {
    if (after > 0)
      say('when.after', 'a rule on time happens once, so it would never act; give when.every too');
    if (times > 1) say('when.times', 'a rule on time happens once; give when.every, such as "10s", too');
  } else {
    if (every.period < SHORTEST_PERIOD) say('when.every', 'a period has to be 1ms at least');
    const first = after * every.period;
    if (during?.for !== undefined && first >= during.for)
      say(
        'when.after',
        `it would act ${formatDuration(first)} after its first time, when during.for (${formatDuration(during.for)}) is over`,
      );
  }
}

/** Separate counts need something that separates them. */
function checkPer({ when: { per }, methods, trigger }: FaultSpec, say: Say): void {
  if (per === undefined) return;
  const tells = per === 'pod' ? identifiesPod : identifiesContainer;
  if (trigger === 'time') {
    say('when.per', 'a rule on time has nothing to count separately; leave it out');
  } else if (trigger === 'session' && per === 'connection') {
    say('when.per', 'a session belongs to one connection already; allowed: pod, container');
  } else if (trigger === 'connection') {
    if (per !== 'connection') say('when.per', `connections have no ${per}; allowed: connection`);
  } else if (per !== 'connection' && methods.length > 0 && !methods.some(({ name }) => tells(name, trigger)))
    say(
      'when.per',
      `${namesOf(methods)} ${trigger}s name no ${per}, so there is nothing to count separately; leave it out`,
    );
}
