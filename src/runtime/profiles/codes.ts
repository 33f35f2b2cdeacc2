import type { ErrorKind } from '../../cri/errors.js';
import type { CodeName } from '../../cri/status-code.js';

/** Codes of a runtime that returns standard Go errors, which have no code: gRPC turns the others into UNKNOWN. */
export const goCodes: Readonly<Partial<Record<ErrorKind, CodeName>>> = {
  unsupported: 'UNIMPLEMENTED',
  timeout: 'DEADLINE_EXCEEDED',
  cancelled: 'CANCELLED',
  exhausted: 'RESOURCE_EXHAUSTED',
};

/** RPCs whose requests the streaming library checks, with a code. */
export const streamingRpcs: ReadonlySet<string> = new Set(['Exec', 'Attach', 'PortForward']);
