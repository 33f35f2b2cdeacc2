import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Clock } from '../../base/clock/clock.js';
import { messageOf } from '../../base/input/error-text.js';
import type { ProcessStreams } from '../engine/backend.js';
import type { AttachSession, ExecSession, StreamingHandler } from '../engine/streaming.js';
import type { SessionTap } from './session-tap.js';
import { type ExecOutcome, exitOutcome } from './status.js';

export type RemoteCommand =
  | { readonly kind: 'exec'; readonly session: ExecSession }
  | { readonly kind: 'attach'; readonly session: AttachSession };

export interface RemoteClient {
  readonly streams: ProcessStreams;
  /** Aborts when the client is gone. */
  readonly closed: AbortSignal;
  /** Sends the result after all output, and closes. */
  report(outcome: ExecOutcome | undefined): void;
}

/** Runs the command to its end; never throws. */
export async function runRemoteCommand(
  handler: StreamingHandler,
  command: RemoteCommand,
  client: RemoteClient,
  clock: Clock,
  tap: SessionTap | undefined,
): Promise<void> {
  const { stdin, stdout, stderr } = client.streams;
  const streams = {
    ...client.streams,
    ...(tap && {
      stdin: tap.readable('stdin', stdin),
      stdout: tap.writable('stdout', stdout),
      stderr: tap.writable('stderr', stderr),
    }),
  };
  const outcome = await clock.run(() => outcomeOf(handler, command, { ...client, streams }, tap));
  if (client.closed.aborted) return;
  // Discards input that the command left unread; otherwise the server would not notice that the client disconnects.
  stdin?.resume();
  await Promise.all([flush(streams.stdout, stdout), flush(streams.stderr, stderr)]);
  try {
    client.report(tap ? await tap.status(outcome) : outcome);
  } catch {
    // The client has gone.
  }
}

/** Texts of containerd and CRI-O (cri-streaming remotecommand exec.go, attach.go). */
async function outcomeOf(
  handler: StreamingHandler,
  command: RemoteCommand,
  { streams, closed }: RemoteClient,
  tap: SessionTap | undefined,
): Promise<ExecOutcome> {
  const { kind, session } = command;
  try {
    tap?.begin();
    if (kind === 'exec') return exitOutcome(await handler.exec(session, streams, closed), session);
    await handler.attach(session, streams, closed);
    return { kind: 'success' };
  } catch (error) {
    const what = kind === 'exec' ? 'executing command in' : 'attaching to';
    return { kind: 'failed', message: `error ${what} container: ${messageOf(error)}` };
  }
}

/** Ends a stream and waits until the client has read all of it, or has gone. */
async function flush(written: Writable | undefined, stream: Writable | undefined): Promise<void> {
  if (stream === undefined) return;
  written?.end();
  await finished(stream, { readable: false }).catch(() => {});
}
