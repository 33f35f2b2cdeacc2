import { conversation, goneSoon, nodeReady, nothingLeft } from './end.js';
import { attemptsGrow, backsOff, doneStaysDone, oneInstance } from './instances.js';
import type { RunRule } from './rule.js';
import { countsRestarts, restartsGrow, showsTruth } from './shown.js';

/** Rules for runs, by their names in `expect.rules`. */
export const runRules = {
  'one-instance': oneInstance,
  'attempts-grow': attemptsGrow,
  'done-stays-done': doneStaysDone,
  'backs-off': backsOff,
  'restarts-grow': restartsGrow,
  'counts-restarts': countsRestarts,
  'shows-truth': showsTruth,
  'nothing-left': nothingLeft,
  'gone-soon': goneSoon,
  'node-ready': nodeReady,
  conversation,
} as const satisfies Readonly<Record<string, RunRule>>;

/** For example `one-instance`. */
export type RunRuleName = keyof typeof runRules;

export const runRuleNames = Object.keys(runRules) as [RunRuleName, ...RunRuleName[]];
