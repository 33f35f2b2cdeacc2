import type { Seen } from '../seen.js';

/** What `kubectl describe` says of one container. */
export interface DescribedContainer {
  /** Empty where the text has lost it. */
  readonly name: string;
  readonly isInit: boolean;
  /** By name; those of a state as `Last State Reason`. */
  readonly fields: ReadonlyMap<string, string>;
}

/** What it says of the pod itself. */
export interface DescribedHead {
  readonly status?: string;
  readonly reason?: string;
}

/**
 * The line of `kubectl get pod` at the time of a description: kubectl takes its status from the first container that waits or
 * has ended. Nothing where the description lacks the state of a container.
 */
export function describedRow(
  all: readonly DescribedContainer[],
  pod: string,
  { status = '', reason = '' }: DescribedHead,
  capture: number,
): Seen[] {
  const containers = all.filter(({ isInit }) => !isInit);
  const states = containers.map(({ fields }) => fields.get('State'));
  const isWhole = states.length > 0 && states.every((state) => state !== undefined);
  if (!isWhole || pod === '' || all.some(isUndone)) return [];
  const ready = containers.filter(({ fields }) => fields.get('Ready') === 'True').length;
  const restarts = containers.map(({ fields }) => Number(fields.get('Restart Count') ?? 0));
  if (restarts.some((count) => !Number.isInteger(count))) return [];
  return [
    {
      what: 'row',
      pod,
      ready: `${ready}/${containers.length}`,
      status: /^Terminating\b/.test(status) ? 'Terminating' : (reasonOf(containers) ?? (reason || 'Running')),
      restarts: restarts.reduce((sum, count) => sum + count, 0),
      times: [{ by: 'ago', capture, span: { from: 0, to: 1 } }],
    },
  ];
}

/** An init container that has not ended well: the row then counts init containers, and has their states. */
const isUndone = ({ isInit, fields }: DescribedContainer): boolean =>
  isInit && fields.get('State Reason') !== 'Completed';

/** Undefined when all run. */
function reasonOf(containers: readonly DescribedContainer[]): string | undefined {
  const told = containers.find(({ fields }) => fields.get('State') !== 'Running');
  const isRunning = containers.some(({ fields }) => fields.get('State') === 'Running');
  const reason = told?.fields.get('State Reason') ?? 'Error';
  return told === undefined || (isRunning && reason === 'Completed') ? undefined : reason;
}
