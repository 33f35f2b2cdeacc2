import { type ChildProcess, spawn } from 'node:child_process';
import type { Clock, Timer } from '../../../base/clock/clock.js';

export interface PluginProgram {
  start(): void;
  /** Kills it for good. Resolves when it has exited. */
  kill(): Promise<void>;
  readonly output: string;
}

/** Time in ms before an exited program restarts. */
const PAUSE = 200;
const MOST_OUTPUT = 4096;

/** Restarts a shell command line when it exits; `NRI_SOCKET` holds the plugin socket. Calls `ended` on each exit. */
export function pluginProgram(
  command: string,
  socket: string,
  clock: Clock,
  ended: (how: string) => void,
): PluginProgram {
  let child: ChildProcess | undefined;
  let gone: Promise<void> = Promise.resolve();
  let again: Timer | undefined;
  let isWanted = false;
  let output = '';
  const start = () => {
    const started = spawn('/bin/sh', ['-c', `exec ${command}`], {
      env: { ...process.env, NRI_SOCKET: socket },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    child = started;
    for (const stream of [started.stdout, started.stderr])
      stream.on('data', (chunk: Buffer) => {
        output = `${output}${chunk}`.slice(-MOST_OUTPUT);
      });
    gone = new Promise((resolve) => {
      const over = (how: string) => {
        resolve();
        if (!isWanted || child !== started) return;
        ended(how);
        again = clock.setTimer(PAUSE, start);
      };
      started.once('error', ({ message }) => over(message));
      started.once('exit', (code, signal) => over(signal ?? `exit code ${code}`));
    });
  };
  return {
    start: () => {
      isWanted = true;
      start();
    },
    kill: async () => {
      isWanted = false;
      again?.cancel();
      killGroup(child);
      await gone;
    },
    get output() {
      return output;
    },
  };
}

/** Includes the processes that it has started. */
function killGroup(child: ChildProcess | undefined): void {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has exited by itself.
  }
}
