import type { RemoteCommand } from './remote-command.js';

export type StreamRequest =
  | RemoteCommand
  | { readonly kind: 'portforward'; readonly sandboxId: string; readonly ports: readonly number[] };

export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function isRefusal(result: object): result is Refusal {
  return 'status' in result;
}
