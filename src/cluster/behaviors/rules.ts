import type { LiveRules, RuledRun } from '../../../adapters/memory/containers/choose-behavior.js';
import { forgetOldest } from '../../base/input/forget-oldest.js';
import type { PodSandboxConfig } from '../../cri/gen/runtime/v1/api.js';
import { formatImageReference, parseImageReference } from '../../cri/image-reference.js';
import type { Verdict } from '../../kubelet/index.js';
import type { Pod } from '../../kubelet/kubernetes/pod.js';
import { compilePattern } from '../../runtime/faults/language/pattern.js';
import { compileValueTest } from '../../runtime/faults/matching/request-match.js';
import type { BehaviorRuleInput, BehaviorRuleSpec } from './rule-schema.js';

export interface WrittenBehavior {
  readonly written: BehaviorRuleInput;
  readonly spec: BehaviorRuleSpec;
}

/** A rule as the API lists it: as written, with how many runs, probes, hooks and pulls it has decided. */
export interface BehaviorView extends BehaviorRuleInput {
  readonly name: string;
  readonly applied: number;
}

/** What the rules say about one node's pods. */
export interface NodeBehaviors {
  readonly live: LiveRules;
  readonly verdict: Verdict;
}

/** Rules for what containers do, which can change while they run. The newest rule that matches wins. */
export interface BehaviorRules {
  /** A rule of this name is replaced. Without a name it gets one. */
  put(rule: WrittenBehavior, name?: string): BehaviorView;
  remove(name: string): void;
  clear(): void;
  /** Oldest first. */
  list(): readonly BehaviorView[];
  of(node: string, podOf: (uid: string) => Pod | undefined): NodeBehaviors;
}

interface Rule extends WrittenBehavior {
  readonly name: string;
  readonly fits: (node: string, subject: Subject) => boolean;
  /** For each pod and container, the runs that the rule has decided, and the last of them. */
  readonly runs: Map<string, { readonly count: number; readonly last: string }>;
  applied: number;
}

/** Fields as in `match`. */
interface Subject {
  readonly pod: object | undefined;
  readonly container: { readonly name?: string; readonly image: readonly string[] };
}

export function createBehaviorRules(): BehaviorRules {
  let rules: readonly Rule[] = [];
  const listeners = new Set<() => void>();
  let made = 0;
  const change = (changed: readonly Rule[]) => {
    rules = changed;
    for (const listener of listeners) listener();
  };
  const others = (name: string) => rules.filter((rule) => rule.name !== name);
  const freeName = (): string => {
    const name = `behavior-${++made}`;
    return others(name).length < rules.length ? freeName() : name;
  };

  /** The first answer of a rule that matches, from the newest to the oldest. */
  const ask = <T>(
    node: string,
    subject: () => Subject,
    answer: (rule: Rule) => T | undefined,
  ): T | undefined => {
    if (rules.length === 0) return undefined;
    const asked = subject();
    for (const rule of rules.toReversed()) {
      const found = rule.fits(node, asked) ? answer(rule) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  };

  return {
    put: (given, name = given.spec.name ?? freeName()) => {
      const rule = { ...given, name, fits: compileMatch(given.spec.match), runs: new Map(), applied: 0 };
      change([...others(name), rule]);
      return viewOf(rule);
    },
    remove: (name) => change(others(name)),
    clear: () => change([]),
    list: () => rules.map(viewOf),
    of: (node, podOf) => ({
      live: {
        behavior: (run) =>
          ask(
            node,
            () => subjectOfRun(run, podOf),
            (rule) => behaviorOfRun(rule, run),
          ),
        pull: ({ image, sandboxConfig }, normalized) =>
          ask(
            node,
            () => ({
              pod: sandboxConfig && factsOf(sandboxConfig, podOf),
              container: { image: [image.image, normalized] },
            }),
            (rule) => counted(rule, rule.spec.pull),
          ),
        onChange: (listener) => void listeners.add(listener),
      },
      verdict: (pod, { name, image }, check) =>
        ask(
          node,
          () => ({ pod: factsOfPod(pod), container: { name, image: imageNames(image) } }),
          (rule) => counted(rule, verdictOf(rule.spec, check)),
        ),
    }),
  };
}

const viewOf = ({ written, name, applied }: Rule): BehaviorView => ({ ...written, name, applied });

function compileMatch({ node, ...match }: BehaviorRuleSpec['match']): Rule['fits'] {
  const isOnNode = compilePattern(node ?? '*');
  const fits = compileValueTest(match);
  return (name, subject) => isOnNode(name) && fits(subject);
}

function counted<T>(rule: Rule, answer: T | undefined): T | undefined {
  if (answer !== undefined) rule.applied++;
  return answer;
}

const VERDICTS = { succeed: 'success', fail: 'failure' } as const;

function verdictOf({ probes, hooks }: BehaviorRuleSpec, check: Parameters<Verdict>[2]): ReturnType<Verdict> {
  const said = check === 'postStart' || check === 'preStop' ? hooks?.[check] : probes?.[check];
  return said && VERDICTS[said];
}

/** Attempts count from the first run of the container that the rule decides. */
function behaviorOfRun(rule: Rule, { sandboxConfig: { metadata }, name, attempt }: RuledRun) {
  const { behavior, times = Infinity } = rule.spec;
  if (behavior === undefined) return undefined;
  const key = `${metadata?.namespace}/${metadata?.name}/${name}`;
  const run = `${metadata?.uid}/${attempt}`;
  const { count = 0, last } = rule.runs.get(key) ?? {};
  const index = last === run ? count - 1 : count;
  if (index >= times) return undefined;
  if (last !== run) {
    rule.runs.set(key, { count: count + 1, last: run });
    forgetOldest(rule.runs);
    rule.applied++;
  }
  return behavior[Math.min(index, behavior.length - 1)];
}

function subjectOfRun(
  { sandboxConfig, name, image }: RuledRun,
  podOf: (uid: string) => Pod | undefined,
): Subject {
  return { pod: factsOf(sandboxConfig, podOf), container: { name, image: imageNames(image) } };
}

function imageNames(image: string): readonly string[] {
  const reference = parseImageReference(image);
  return reference === undefined ? [image] : [image, formatImageReference(reference)];
}

/** A pod whose object the kubelet does not have has no known owner. */
function factsOf({ metadata, labels }: PodSandboxConfig, podOf: (uid: string) => Pod | undefined): object {
  const pod = podOf(metadata?.uid ?? '');
  return pod === undefined ? { ...metadata, labels } : factsOfPod(pod);
}

function factsOfPod({ metadata: { name, namespace, uid, labels, ownerReferences = [] } }: Pod): object {
  const owner = ownerReferences.flatMap(({ kind, name: owned }) => {
    const suffix = `-${labels['pod-template-hash']}`;
    const isOfDeployment = kind === 'ReplicaSet' && owned.endsWith(suffix);
    return [`${kind}/${owned}`, ...(isOfDeployment ? [`Deployment/${owned.slice(0, -suffix.length)}`] : [])];
  });
  return { name, namespace, uid, labels, owner };
}
