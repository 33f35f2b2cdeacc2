import { changedIn, type Leaves } from './leaves.js';
import { hadNothing } from './life.js';
import type { PluginRun } from './run.js';

export const pluginRunRules = {
  'comes-back': 'it reconnects, and keeps running',
  'sees-once': 'it sees every container exactly once',
  'knows-what-runs': 'it treats containers from Synchronize like those whose creation it saw',
  'keeps-adjusted':
    'its adjustments take effect; resource limits even if it was disconnected when the container was created',
  answers: 'it replies in time, with valid messages',
} as const;

export type PluginRunRule = keyof typeof pluginRunRules;

export interface BrokenPluginRule {
  readonly rule: PluginRunRule;
  readonly about: string;
  readonly message: string;
}

export interface PluginBaseline {
  readonly withPlugin: PluginRun;
  readonly withoutPlugin: PluginRun;
}

/** What an update can still change after creation: the fields of CRI's LinuxContainerResources. */
const UPDATABLE = /^linux\.resources\.(cpu|memory|hugepageLimits|unified)\b/;

/** Rules that a run breaks, unless the baseline breaks them too. */
export function brokenBy(run: PluginRun, baseline: PluginBaseline): BrokenPluginRule[] {
  const gone = comesBack(run);
  // Without the plugin, its containers prove nothing.
  if (run.missing !== undefined) return gone;
  return [
    ...gone,
    ...seesOnce(run),
    ...knowsWhatRuns(run, baseline.withPlugin),
    ...keepsAdjusted(run, baseline),
    ...judged(run, baseline.withPlugin),
  ];
}

function comesBack({ missing, crashes, output }: PluginRun): BrokenPluginRule[] {
  const last = output.trim().split('\n').at(-1) ?? '';
  const says = last === '' ? '' : `; its last line: ${last}`;
  return [
    ...(missing === undefined ? [] : [missing]),
    ...crashes.slice(0, 1).map((how) => `the plugin exited (${how})`),
  ].map((message) => ({ rule: 'comes-back', about: 'plugin', message: `${message}${says}` }));
}

const seesOnce = ({ seen }: PluginRun): BrokenPluginRule[] =>
  [...seen].flatMap(([name, count]): BrokenPluginRule[] =>
    count === 1
      ? []
      : [
          {
            rule: 'sees-once',
            about: name,
            message: `the plugin sees ${name} on ${count} of its connections: expected 1`,
          },
        ],
  );

const knowsWhatRuns = ({ outcomes }: PluginRun, baseline: PluginRun): BrokenPluginRule[] =>
  [...outcomes].flatMap(([name, outcome]): BrokenPluginRule[] => {
    const before = baseline.outcomes.get(name);
    return outcome === undefined || hadNothing(outcome) || before !== undefined
      ? []
      : [{ rule: 'knows-what-runs', about: name, message: `"${name}" fails: ${outcome}` }];
  });

function keepsAdjusted(run: PluginRun, { withPlugin, withoutPlugin }: PluginBaseline): BrokenPluginRule[] {
  return [...run.specs].flatMap(([name, spec]): BrokenPluginRule[] => {
    const plain = withoutPlugin.specs.get(name);
    const expected = withPlugin.specs.get(name);
    if (plain === undefined || expected === undefined) return [];
    const isSeen = run.created.has(name);
    const lost = changedIn(expected, plain)
      .filter((path) => isSeen || UPDATABLE.test(path))
      .filter((path) => spec.get(path) === plain.get(path));
    if (lost.length === 0) return [];
    const when = isSeen
      ? 'was created while the plugin was connected'
      : 'was created while the plugin was disconnected, and listed to it later';
    return [{ rule: 'keeps-adjusted', about: name, message: `${name} ${when}: ${lostText(lost, expected)}` }];
  });
}

/** `it has no linux.resources.cpu.cpus (0-1 without perturbations)` */
const lostText = (lost: readonly string[], expected: Leaves): string =>
  `it lacks ${lost.map((path) => `${path} (${expected.get(path)} without perturbations)`).join(', ')}`;

function judged({ findings }: PluginRun, baseline: PluginRun): BrokenPluginRule[] {
  const known = new Set(baseline.findings.map(({ rule }) => rule));
  return findings
    .filter(({ rule }) => rule.startsWith('NRI-') && !known.has(rule))
    .map(({ rule, about, message }) => ({ rule: ruleOf(rule), about, message: `${rule}: ${message}` }));
}

const ruleOf = (rule: string): PluginRunRule =>
  rule === 'NRI-04' ? 'knows-what-runs' : rule === 'NRI-05' ? 'answers' : 'sees-once';
