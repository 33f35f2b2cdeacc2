import { spawn, spawnSync } from 'node:child_process';
import { kill } from 'node:process';
import type { Writable } from 'node:stream';

/** A program that must not outlive this process. */
export interface GuardedOptions {
  readonly program: string;
  readonly args: readonly string[];
  /** Its own; removed with all mounts in it if this process ends before the program. */
  readonly directory: string;
  /** Gets what it prints. */
  readonly log: Writable;
  /** Called when it has ended. */
  readonly ended: (reason: string) => void;
}

/** A program that runs. */
export interface Guarded {
  /** Kills it, as a crash does. What it has mounted stays. */
  kill(): void;
}

/** Unmounts what is mounted below a directory, the deepest places first and at once, and removes the directory. */
const REMOVE = `
remove() {
  for round in 1 2 3 4 5 6 7 8 9 10; do
    mounted=$(while read -r _ place _; do
      case $place in "$1"/*) printf '%s\\n' "$place" ;; esac
    done </proc/mounts | sort -r)
    [ -n "$mounted" ] || break
    umount --lazy $mounted
  done
  rm -rf "$1" || { sleep 1; rm -rf "$1"; }
}`;

/**
 * Starts the program, and a reader of descriptor 3, which is open as long as this process lives, however it ends. Then
 * the reader kills the program and removes the directory, the first argument. The program's end stops the reader only while it
 * waits.
 */
const GUARD = `${REMOVE}
directory=$1
shift
"$@" 3<&- &
program=$!
{ read -r _ <&3; trap '' TERM; kill -9 "$program"; remove "$directory"; } >/dev/null 2>&1 &
reader=$!
wait "$program"
code=$?
kill "$reader"
exit "$code"`;

/** Starts a program that ends with this process, also when this one is killed. */
export function spawnGuarded({ program, args, directory, log, ended }: GuardedOptions): Guarded {
  const guard = spawn('sh', ['-c', GUARD, 'sh', directory, program, ...args], {
    // Its own group: Ctrl-C is for this process, and all of the group is killed together.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  guard.stdout?.pipe(log, { end: false });
  guard.stderr?.pipe(log, { end: false });
  let failure: string | undefined;
  guard.once('error', ({ message }) => {
    failure = message;
  });
  // Not at the exit of the guard: the program has ended when nothing holds its output any more.
  guard.once('close', (code, signal) => ended(failure ?? `exit code ${code ?? signal}`));
  return {
    kill: () => {
      if (guard.pid === undefined || guard.exitCode !== null || guard.signalCode !== null) return;
      kill(-guard.pid, 'SIGKILL');
    },
  };
}

/** Removes the directory of a program that was killed, with what it has mounted there. */
export function removeMounted(directory: string): void {
  const { status, stderr } = spawnSync('sh', ['-c', `${REMOVE}\nremove "$1"`, 'sh', directory]);
  if (status !== 0) throw new Error(`${directory} cannot be removed: ${String(stderr).trim()}`);
}
