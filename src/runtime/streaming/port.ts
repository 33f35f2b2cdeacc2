import { messageOf } from '../../base/input/error-text.js';

/** Whether a connection can be made to it: an integer from 1 to 65535. */
export function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65_535;
}

/** The text on the error stream (cri-streaming portforward httpstream.go); anything there means failure. */
export function forwardFailure(sandboxId: string, port: number, failure: unknown): string {
  return `error forwarding port ${port} to pod ${sandboxId}: ${messageOf(failure)}`;
}
