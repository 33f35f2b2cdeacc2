import { globMatches } from '../../../src/base/input/glob.js';
import { invalid } from '../../../src/cri/errors.js';
import type { PodSandboxConfig } from '../../../src/cri/gen/runtime/v1/api.js';
import { type Behavior, behaviorOf, parseBehavior } from '../../../src/linux/behavior/parse-behavior.js';
import type { ContainerSpec } from '../../../src/runtime/engine/backend.js';
import type { LivePull } from '../images/pulls.js';

export const BEHAVIOR_ANNOTATION = 'behavior.mockri.dev/';

/** A behavior for matching containers; every given field must match, names and images as globs. */
export interface BehaviorRule {
  readonly match: {
    readonly image?: string | undefined;
    readonly name?: string | undefined;
    readonly labels?: Readonly<Record<string, string>> | undefined;
  };
  readonly behaviors: readonly Behavior[];
}

/** One run of a container, for rules that can change while it runs. */
export interface RuledRun {
  readonly sandboxConfig: PodSandboxConfig;
  readonly name: string;
  /** As the user wrote it. */
  readonly image: string;
  readonly attempt: number;
}

/**
 * Rules that can change while containers run; undefined where no rule decides. They win over settings and annotations.
 */
export interface LiveRules {
  behavior(run: RuledRun): Behavior | undefined;
  readonly pull: LivePull;
  onChange(changed: () => void): void;
}

/** Returns the behavior for the container's attempt: by rule, otherwise by annotation; undefined to run its command. */
export function chooseBehavior(spec: ContainerSpec, rules: readonly BehaviorRule[]): Behavior | undefined {
  const { metadata, annotations } = spec.config;
  const name = metadata?.name ?? '';
  const rule = rules.find((candidate) => fits(candidate, spec, name));
  const key = `${BEHAVIOR_ANNOTATION}${name}`;
  const text = annotations[key] ?? spec.sandboxConfig.annotations[key];
  const behaviors = rule?.behaviors ?? (text === undefined ? undefined : readAnnotation(text, key));
  return behaviors && behaviorOf(behaviors, metadata?.attempt ?? 0);
}

function readAnnotation(text: string, key: string): readonly Behavior[] {
  try {
    return parseBehavior(text, `annotation ${key}`);
  } catch (error) {
    throw invalid((error as Error).message);
  }
}

function fits({ match }: BehaviorRule, { config }: ContainerSpec, name: string): boolean {
  if (match.name !== undefined && !globMatches(match.name, name)) return false;
  if (match.image !== undefined && !globMatches(match.image, config.image?.image ?? '')) return false;
  return Object.entries(match.labels ?? {}).every(([key, value]) => config.labels[key] === value);
}
