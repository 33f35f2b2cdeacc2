import type { ExecSession } from '../engine/streaming.js';

export type ExecOutcome =
  | { readonly kind: 'success' }
  | { readonly kind: 'exited'; readonly code: number; readonly command: readonly string[] }
  | { readonly kind: 'failed'; readonly message: string };

/** Any code but 0 is a failure whose cause has the code, so that kubectl exec can exit with it. */
export function exitOutcome(code: number, { command }: ExecSession): ExecOutcome {
  return code === 0 ? { kind: 'success' } : { kind: 'exited', code, command };
}

/** Since protocol v4: one metav1.Status as JSON (apimachinery remotecommand v4WriteStatusFunc). */
export function jsonStatus(outcome: ExecOutcome): string {
  return JSON.stringify(statusOf(outcome));
}

/** Up to protocol v3: a text, and only after an error. */
export function textStatus(outcome: ExecOutcome): string | undefined {
  return outcome.kind === 'success' ? undefined : messageOf(outcome);
}

function statusOf(outcome: ExecOutcome): object {
  if (outcome.kind === 'success') return { metadata: {}, status: 'Success' };
  const failure = { metadata: {}, status: 'Failure', message: messageOf(outcome) };
  if (outcome.kind === 'exited')
    return {
      ...failure,
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: String(outcome.code) }] },
    };
  return {
    ...failure,
    reason: 'InternalError',
    details: { causes: [{ message: outcome.message }] },
    code: 500,
  };
}

function messageOf(outcome: Exclude<ExecOutcome, { kind: 'success' }>): string {
  if (outcome.kind === 'failed') return `Internal error occurred: ${outcome.message}`;
  const command = outcome.command.join(' ');
  return `command terminated with non-zero exit code: error executing command [${command}], exit code ${outcome.code}`;
}
