import { StatusError } from '../errors.js';
import { type CallStatus, codeName } from '../status-code.js';

export class CallError extends Error implements CallStatus {
  override readonly name = 'CallError';
  readonly code: number;
  readonly details: string;
  /** The name of the RPC; undefined for a call in process. */
  readonly method: string | undefined;
  readonly unreached: true | undefined;

  constructor(
    code: number,
    details: string,
    { method, unreached }: Partial<Pick<CallError, 'method' | 'unreached'>> = {},
  ) {
    super(details);
    this.code = code;
    this.details = details;
    this.unreached = unreached;
    this.method = method;
  }

  get codeName(): string {
    return codeName(this.code);
  }
}

/** Whether the client, or a proxy for the runtime, reports that the call failed before it reached the runtime. */
export const isUnreached = (error: unknown): boolean =>
  (error instanceof CallError || error instanceof StatusError) && error.unreached === true;
