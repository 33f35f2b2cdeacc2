import type { Seen } from '../facts.js';

/** A container in the output of `kubectl describe`. */
export interface DescribedContainer {
  /** Empty if the text lost it. */
  readonly name: string;
  readonly isInit: boolean;
  /** By name; fields of a state have keys such as `Last State Reason`. */
  readonly fields: ReadonlyMap<string, string>;
}

export interface DescribedHead {
  readonly status?: string;
  readonly reason?: string;
}

/**
 * The `kubectl get pod` row at the time of a description: kubectl takes the status from the first container that waits
 * or has ended. Empty if the text lacks a container's state, or whether a running one is ready.
 */
export function describedRow(
  all: readonly DescribedContainer[],
  pod: string,
  { status = '', reason = '' }: DescribedHead,
  capture: number,
): Seen[] {
  const containers = all.filter(({ isInit }) => !isInit);
  const isWhole = containers.length > 0 && containers.every(isTold);
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

const isTold = ({ fields }: DescribedContainer): boolean => {
  const state = fields.get('State');
  return state !== undefined && (state !== 'Running' || fields.has('Ready'));
};

/** An init container that has not succeeded: the row then counts init containers and shows their states. */
const isUndone = ({ isInit, fields }: DescribedContainer): boolean =>
  isInit && fields.get('State Reason') !== 'Completed';

/** Undefined when all containers run. */
function reasonOf(containers: readonly DescribedContainer[]): string | undefined {
  const told = containers.find(({ fields }) => fields.get('State') !== 'Running');
  const isRunning = containers.some(({ fields }) => fields.get('State') === 'Running');
  const reason = told?.fields.get('State Reason') ?? 'Error';
  return told === undefined || (isRunning && reason === 'Completed') ? undefined : reason;
}
