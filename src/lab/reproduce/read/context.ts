import type { Seen, SeenTime } from '../seen.js';

/** What earlier lines of a file say about a line. */
export interface LineContext {
  /** The number of the command whose output this is, as far as that is known. */
  capture: number;
  /** The table of pods whose lines follow; undefined before the first header. */
  table: number | undefined;
  /** The time that a whole line gave, such as that of `date`. */
  clock: SeenTime | undefined;
  /** The object of `kubectl describe`. */
  described: { readonly kind: 'pod' | 'node'; readonly name: string } | undefined;
  /** Whether the columns of a table begin with the namespace. */
  hasNamespace: boolean;
}

/** Reads one kind of line: what it shows, nothing for a line that is of this kind and shows nothing, undefined for other lines. */
export type LineReader = (
  line: string,
  context: LineContext,
  own: SeenTime | undefined,
) => readonly Seen[] | undefined;

/** The times of a line: its own, or that of the line before the table. */
export const timesOf = (context: LineContext, own: SeenTime | undefined): SeenTime[] =>
  own !== undefined ? [own] : context.clock !== undefined ? [context.clock] : [];

/** A pod of which a text does not say the name: the only one of the runs. */
export const SOME_POD = '*';

/** The pod that is described; empty for a node. */
export const describedPod = ({ described }: LineContext): string =>
  described === undefined ? SOME_POD : described.kind === 'pod' ? described.name : '';

/** A pod as runs name it: with its namespace only outside of `default`. */
export const podName = (namespace: string | undefined, name: string): string =>
  namespace === undefined || namespace === '' || namespace === 'default' ? name : `${namespace}/${name}`;
