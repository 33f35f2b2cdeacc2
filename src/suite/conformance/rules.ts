import { z } from 'zod';
import { packageData } from '../../base/input/package-data.js';
import { needs } from './facts.js';

/** The rules of the suite, by group and id of the check, in the order in which they run. */
export const RULES = 'src/suite/conformance/rules.json';

/** The parts of the API that checks cover, in the order in which they run. */
export const groups = [
  'info',
  'images',
  'sandbox',
  'container',
  'idempotence',
  'concurrency',
  'lists',
  'filters',
  'round trip',
  'time',
  'exit data',
  'events',
  'streaming lists',
  'exec and streaming',
  'logs',
  'stats',
  'resources',
  'checkpoint',
  'restart',
] as const;
export type Group = (typeof groups)[number];

/** Strength of a rule: stated by api.proto, common to containerd and CRI-O, or required only of a strict runtime. */
export const tags = ['spec', 'common', 'strict'] as const;
export type Tag = (typeof tags)[number];

/** The severity of a broken rule, worst first. */
export const severities = ['lost', 'status', 'text'] as const;
export type Severity = (typeof severities)[number];

/** What each means for a node, for reports. */
export const severityWords: Readonly<Record<Severity, string>> = {
  lost: 'a kubelet would lose a container, its end, its data or its protection',
  status: 'a status, a list or a figure is wrong, at least for a moment',
  text: 'a text, a code or a format differs',
};

const ruleSchema = z.strictObject({
  rule: z.string(),
  source: z.string(),
  tag: z.enum(tags),
  severity: z.enum(severities),
  /** Pull requests of runtimes that fixed bugs which the check finds. */
  upstream: z.array(z.templateLiteral([z.enum(['containerd', 'cri-o']), '#', z.int()])).optional(),
  needs: z.array(z.enum(needs)).optional(),
  /** `alone`: while no other check runs. `last`: alone and after all others, because it can stall the runtime. */
  isolation: z.enum(['alone', 'last']).optional(),
});

export interface Rule extends Readonly<z.output<typeof ruleSchema>> {
  /** `INV-29`, with a suffix if an invariant has several checks: `INV-12.sandbox`. */
  readonly id: string;
  readonly group: Group;
}

export type Upstream = NonNullable<Rule['upstream']>[number];

const file = packageData(RULES, z.record(z.enum(groups), z.record(z.string(), ruleSchema)));

export const rules: readonly Rule[] = groups.flatMap((group) =>
  Object.entries(file[group]).map(([id, rule]) => ({ id, group, ...rule })),
);

const severityById = new Map(rules.map(({ id, severity }) => [id, severity]));

/** The severity of a check's rule; the worst for a rule of another version of the suite. */
export const severityOf = (id: string): Severity => severityById.get(id) ?? 'lost';
