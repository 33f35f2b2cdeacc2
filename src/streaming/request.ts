import type { RemoteCommand } from './remote-command.js';

/** What a token stands for. */
export type StreamRequest =
  | RemoteCommand
  | { readonly kind: 'portforward'; readonly sandboxId: string; readonly ports: readonly number[] };

/** Why a request is turned away. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function isRefusal(result: object): result is Refusal {
  return 'status' in result;
}
