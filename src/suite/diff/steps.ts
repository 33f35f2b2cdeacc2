import type { ProgramName } from './programs.js';

/** A call of a sequence. Objects have aliases (`p1`, `c2`); an alias that no call created is an unknown id. */
export interface PlannedCall {
  /** `StartContainer`, or `GetContainerEvents` for another subscriber. */
  readonly method: string;
  /** The unusual feature of its request, by the catalog's name; `''` for none. */
  readonly form: string;
  readonly pod?: string;
  readonly container?: string;
  /** Form of the id; default in full. */
  readonly id?: 'prefix' | 'empty';
  readonly program?: ProgramName;
  /** Grace period of StopContainer in seconds. */
  readonly grace?: number;
}

/** Concurrent calls; usually one. */
export interface Step {
  readonly calls: readonly PlannedCall[];
  /** Creates and removes a container this number of times, to fill the queues of subscribers. */
  readonly times?: number;
}

export type Sequence = readonly Step[];

/** `CreateContainer c1 in p1 (sleeps)` */
export function showCall({ method, form, pod, container, id, program, grace }: PlannedCall): string {
  const object = container ?? pod;
  const parts = [
    method,
    object === undefined
      ? ''
      : id === 'empty'
        ? '(empty id)'
        : id === 'prefix'
          ? `${object} by prefix`
          : object,
    container !== undefined && pod !== undefined && method === 'CreateContainer' ? `in ${pod}` : '',
    program === undefined ? '' : `(${program})`,
    method === 'StopContainer' ? `timeout ${grace ?? 0}` : '',
    form,
  ];
  return parts.filter(Boolean).join(' ');
}

/** One line; `∥` joins concurrent calls. */
export function showStep({ calls, times }: Step): string {
  const text = calls.map(showCall).join(' ∥ ');
  return times === undefined ? text : `${times} × (${text}, RemoveContainer)`;
}

/** Number of calls; a repeated step counts as one. */
export const lengthOf = (sequence: Sequence): number =>
  sequence.reduce((sum, { calls }) => sum + calls.length, 0);
