import { constants } from 'node:os';
import type { Logger } from 'pino';

/** What may stop the server. */
export interface StopOptions {
  readonly log: Logger;
  /** Whether the end of standard input stops the server too. A parent that dies closes its end of the pipe. */
  readonly withStdin: boolean;
}

/**
 * `stopped` resolves at the first SIGTERM, SIGINT or, if asked for, at the end of standard input. A second signal ends the
 * process at once. `forget` removes the listeners.
 */
export function untilStopped({ log, withStdin }: StopOptions): {
  readonly stopped: Promise<void>;
  readonly forget: () => void;
} {
  const { stdin } = process;
  let forget = (): void => {};
  const stopped = new Promise<void>((resolve) => {
    let isStopping = false;
    const stop = (reason: NodeJS.Signals | 'end of standard input') => {
      if (isStopping) {
        if (reason !== 'end of standard input') process.exit(128 + constants.signals[reason]);
        return;
      }
      isStopping = true;
      log.info({ reason }, 'stopping after the calls under way');
      resolve();
    };
    const onEnd = () => stop('end of standard input');
    process.on('SIGTERM', stop).on('SIGINT', stop);
    if (withStdin) stdin.once('end', onEnd).once('error', onEnd).once('close', onEnd).resume();
    forget = () => {
      process.off('SIGTERM', stop).off('SIGINT', stop);
      if (withStdin) stdin.off('end', onEnd).off('error', onEnd).off('close', onEnd).destroy();
    };
  });
  return { stopped, forget };
}
