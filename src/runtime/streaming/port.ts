import { messageOf } from '../../base/input/error-text.js';

/** Whether it is an integer from 1 to 65535. */
export function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65_535;
}

/** Any text on the error stream means failure. The CRI has no uid (cri-streaming portforward httpstream.go). */
export function forwardFailure(sandboxId: string, port: number, failure: unknown): string {
  return `error forwarding port ${port} to pod ${sandboxId}, uid : ${messageOf(failure)}`;
}
