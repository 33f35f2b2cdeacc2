import type { Seen, SeenTime } from '../facts.js';

export interface LineContext {
  /** Number of the command that printed this, if known. */
  capture: number;
  /** The pod table whose lines follow; undefined before the first header. */
  table: number | undefined;
  /** Time from a separate line, such as the output of `date`. */
  clock: SeenTime | undefined;
  /** The object of `kubectl describe`. */
  described: { readonly kind: 'pod' | 'node'; readonly name: string } | undefined;
  hasNamespace: boolean;
}

/** Reads one kind of line. Returns undefined for other kinds, and an empty list if the line shows nothing. */
export type LineReader = (
  line: string,
  context: LineContext,
  own: SeenTime | undefined,
) => readonly Seen[] | undefined;

/** The line's own time, otherwise that of the line before the table. */
export const timesOf = (context: LineContext, own: SeenTime | undefined): SeenTime[] =>
  own !== undefined ? [own] : context.clock !== undefined ? [context.clock] : [];

/** A pod without a name in the text: the only one of the runs. */
export const SOME_POD = '*';

/** Empty for a node. */
export const describedPod = ({ described }: LineContext): string =>
  described === undefined ? SOME_POD : described.kind === 'pod' ? described.name : '';

/** Includes the namespace unless it is `default`, like runs do. */
export const podName = (namespace: string | undefined, name: string): string =>
  namespace === undefined || namespace === '' || namespace === 'default' ? name : `${namespace}/${name}`;
