import type { Call } from '../../../cri/service.js';
import type { RuleDecision } from '../matching/registry.js';
import { CallUnderRules } from './call-under-rules.js';

/** An open stream, which a rule on open streams can end by cancelling the work behind it. */
export interface OpenStream {
  /** The call, with a signal that also aborts when a rule ends the stream. */
  readonly ruled: CallUnderRules;
  readonly endedBy: RuleDecision | undefined;
  close(): void;
}

/** Watches for rules on open streams until `close`. */
export function watchStream(ruled: CallUnderRules): OpenStream {
  const { context, method, request, call } = ruled;
  const stopped = new AbortController();
  const forward = () => stopped.abort(call.signal.reason);
  if (call.signal.aborted) forward();
  else call.signal.addEventListener('abort', forward, { once: true });
  let endedBy: RuleDecision | undefined;
  const forget = context.onStreamRules((fresh) => {
    if (endedBy !== undefined) return;
    endedBy = ruled.decideOpen(fresh);
    if (endedBy !== undefined) stopped.abort(new Error('a fault rule ended the stream'));
  });
  const stoppable: Call = { signal: stopped.signal, deadline: call.deadline, transport: call.transport };
  return {
    ruled: new CallUnderRules(context, method, request, stoppable),
    get endedBy() {
      return endedBy;
    },
    close: () => {
      forget();
      call.signal.removeEventListener('abort', forward);
    },
  };
}
