import type { RemoteCommand } from './remote-command.js';

/** The request behind a token. */
export type StreamRequest =
  | RemoteCommand
  | { readonly kind: 'portforward'; readonly sandboxId: string; readonly ports: readonly number[] };

/** Why a request is turned away. */
export interface Refusal {
  /** HTTP's. */
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Tells a refusal from what would have been the answer. */
export function isRefusal(result: object): result is Refusal {
  return 'status' in result;
}
