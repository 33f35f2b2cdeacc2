import { Code } from '../status-code.js';

/** How a call ended. */
export interface CallStatus {
  /** gRPC status code. */
  readonly code: number;
  /** The message of the status. */
  readonly details: string;
}

/** The failure of an RPC. */
export class CallError extends Error implements CallStatus {
  override readonly name = 'CallError';
  readonly code: number;
  readonly details: string;
  /** The name of the RPC; undefined for a call in process. */
  readonly method: string | undefined;

  constructor(code: number, details: string, method?: string) {
    super(details);
    this.code = code;
    this.details = details;
    this.method = method;
  }

  /** The name of the code, such as NOT_FOUND. */
  get codeName(): string {
    return Code[this.code] ?? String(this.code);
  }
}
