import { StatusError } from '../errors.js';
import { type CallStatus, codeName } from '../status-code.js';

/** The failure of an RPC. */
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

  /** The name of the code, such as NOT_FOUND. */
  get codeName(): string {
    return codeName(this.code);
  }
}

/** Whether a call failed before it reached the runtime, as its client or as what answers for the runtime says. */
export const isUnreached = (error: unknown): boolean =>
  (error instanceof CallError || error instanceof StatusError) && error.unreached === true;
