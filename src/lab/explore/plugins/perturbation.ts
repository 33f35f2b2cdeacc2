import { z } from 'zod';
import { counted } from '../../../base/input/counted.js';
import { didYouMean } from '../../../base/input/suggest.js';
import { InputError } from '../../../base/input/yaml.js';
import type { Operation } from './life.js';

/** Describes each kind; `N` is the number of client operations until the plugin returns. */
export const perturbationKinds = {
  restart: 'the runtime is restarted, and accepts plugins again only after N operations',
  gone: 'the plugin is killed, and restarted only after N operations',
  late: 'the plugin is started only at this point',
  'lost-reply': 'the connection breaks when the plugin has replied to the operation',
  cut: 'the plugin is killed and restarted, and its connection breaks during Synchronize',
  slow: 'the plugin is killed and restarted, and the operation happens during a slow Synchronize',
  twice: 'the plugin gets the request of the operation twice',
} as const;

export type PerturbationKind = keyof typeof perturbationKinds;
const kinds = Object.keys(perturbationKinds) as PerturbationKind[];

export const perturbationSchema = z.strictObject({
  do: z.enum(kinds).describe('what happens to the plugin'),
  before: z
    .string()
    .describe('operation of the client before which it happens, or which it affects: create db/app'),
  for: z
    .int()
    .min(0)
    .max(1000)
    .default(0)
    .describe('with restart and gone: operations before the plugin may return'),
});

export interface PluginPerturbation {
  readonly kind: PerturbationKind;
  readonly at: number;
  readonly for: number;
}

export const writtenPerturbation = (
  { kind, at, for: count }: PluginPerturbation,
  life: readonly Operation[],
): z.input<typeof perturbationSchema> => ({
  do: kind,
  before: life[at]?.name ?? '',
  ...(count > 0 && { for: count }),
});

export const perturbationText = (perturbation: PluginPerturbation, life: readonly Operation[]): string => {
  const { kind, at, for: count } = perturbation;
  const what = perturbationKinds[kind].replace('N operations', counted(count, 'operation'));
  return `before "${life[at]?.name}": ${what}`;
};

/** Throws InputError for an unknown operation. */
export function readPerturbations(
  given: readonly z.output<typeof perturbationSchema>[],
  life: readonly Operation[],
  file: string,
): PluginPerturbation[] {
  const names = life.map(({ name }) => name);
  return given.map(({ do: kind, before, for: count }, index) => {
    const at = names.indexOf(before);
    if (at < 0)
      throw new InputError([
        `${file}: schedule[${index}].before: there is no operation ${JSON.stringify(before)}${didYouMean(before, names)}; there are ${names.join(', ')}`,
      ]);
    return { kind, at, for: count };
  });
}

const LENGTHS: Readonly<Partial<Record<PerturbationKind, readonly number[]>>> = {
  restart: [1, 0, 3],
  gone: [1, 3],
};

export function perturbationsOf(life: readonly Operation[]): PluginPerturbation[] {
  const rows = kinds.flatMap((kind) =>
    (LENGTHS[kind] ?? [0]).map((count) =>
      life.flatMap((_, at) => (isPossible(kind, at, count, life) ? [{ kind, at, for: count }] : [])),
    ),
  );
  const longest = Math.max(0, ...rows.map((row) => row.length));
  return Array.from({ length: longest }, (_, turn) => rows.flatMap((row) => row[turn] ?? [])).flat();
}

const isPossible = (kind: PerturbationKind, at: number, count: number, life: readonly Operation[]): boolean =>
  at + count <= life.length && (kind !== 'late' || at > 0);

/** Whether one schedule can have both: the second starts after the plugin is back from the first. */
export const areApart = (a: PluginPerturbation, b: PluginPerturbation): boolean =>
  (endOf(a) < b.at && b.kind !== 'late') || (endOf(b) < a.at && a.kind !== 'late');

const endOf = ({ at, for: count }: PluginPerturbation): number => at + count;
