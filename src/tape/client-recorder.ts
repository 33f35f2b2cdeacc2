import { millisToNanos } from '../base/clock/clock.js';
import { CallError } from '../cri/client/call-error.js';
import { type CallOptions, type CriClient, createClient, transportOf } from '../cri/client/client.js';
import type { Call } from '../cri/service.js';
import { Code } from '../cri/status-code.js';
import { createRecording, recordStream, recordUnary } from './recorder.js';
import type { Tape } from './tape.js';

export function recordClient(client: CriClient, tape: Tape): CriClient {
  const codeOf = (error: unknown) => (error instanceof CallError ? error.code : Code.UNKNOWN);
  const recording = createRecording(tape, codeOf);
  const below = transportOf(client);
  const callOf = ({ signal = NEVER, timeout }: CallOptions): Call => ({
    signal,
    deadline: timeout === undefined ? undefined : tape.clock.now() + millisToNanos(timeout),
  });
  return createClient({
    unary: async (method, request, options) => {
      const work = () => below.unary(method, request, options);
      return tape.wants('call')
        ? recordUnary(recording, method.name, work, request, callOf(options))
        : work();
    },
    stream: (method, request, options) => {
      const work = () => below.stream(method, request, options);
      return tape.wants('call')
        ? recordStream(recording, method.name, work, request, callOf(options))
        : work();
    },
  });
}

const NEVER = new AbortController().signal;
