import { spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { kill } from 'node:process';
import { CGROUP } from './cgroup.js';

export interface GuardedOptions {
  readonly program: string;
  readonly args: readonly string[];
  /** Its own directory, removed with all mounts in it if this process ends before the program. */
  readonly directory: string;
  readonly log: string;
  readonly ended: (reason: string) => void;
  /** Descriptors of this process that the program gets after its standard streams, to take part in a virtual clock. */
  readonly channel?: readonly [answers: number, questions: number];
  /** Default: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface Guarded {
  /** Kills it like a crash. Its mounts stay. */
  kill(): void;
  /** Signals the program in the namespaces of `unshare --fork`; kills everything if it has not begun. */
  signalInside(name: 'SIGKILL' | 'SIGQUIT'): void;
}

/** Unmounts everything below a directory, deepest first and lazily, and removes its cgroup and the directory. */
const REMOVE = `${CGROUP}
remove() {
  for round in 1 2 3 4 5 6 7 8 9 10; do
    mounted=$(while read -r _ place _; do
      case $place in "$1"/*) printf '%s\\n' "$place" ;; esac
    done </proc/mounts | sort -r)
    [ -n "$mounted" ] || break
    umount --lazy $mounted
  done
  own=$(cgroup "$1")
  [ ! -d "$own" ] || rmdir "$own" || true
  rm -rf "$1" || { sleep 1; rm -rf "$1"; }
}`;

/**
 * Starts the program, and a reader of descriptor 3, which closes when this process ends for any reason. Then the reader
 * kills the program and removes the directory (the first argument). The program's exit stops the reader only while it
 * waits.
 */
const guard = (descriptors: string, extra: string) => `${REMOVE}
directory=$1
shift
"$@" ${descriptors} &
program=$!
${extra}
{ read -r _ <&3; trap '' TERM; kill -9 "$program"; remove "$directory"; } >/dev/null 2>&1 &
reader=$!
wait "$program"
code=$?
trap '' TERM
kill -s TERM 0
exit "$code"`;

const GUARD = guard('3<&-', '');

/** Bytes that a guard writes per tick: the size of a question, because both go through the same pipe. */
export const TICK_BYTES = 32;

/** Writes spaces into the program's questions at intervals, so that a waiting reader notices that real time passes. */
const GUARD_ON_CLOCK = guard(
  '3<&4 4>&5 5>&-',
  `exec 4<&-
while sleep 2 >/dev/null; do printf '%${TICK_BYTES}s' ''; done >&5 3<&- 5>&- &
exec 5>&-`,
);

export function spawnGuarded(options: GuardedOptions): Guarded {
  const { program, args, directory, channel, env = process.env, ended } = options;
  const log = openSync(options.log, 'a');
  const script = channel === undefined ? GUARD : GUARD_ON_CLOCK;
  const guard = spawn('sh', ['-c', script, 'sh', directory, program, ...args], {
    // Own process group: Ctrl-C reaches only this process, and the whole group is killed together.
    detached: true,
    stdio: ['ignore', log, log, 'pipe', ...(channel ?? [])],
    env,
  });
  closeSync(log);
  let failure: string | undefined;
  guard.once('error', ({ message }) => {
    failure = message;
  });
  guard.once('close', (code, signal) => ended(failure ?? `exit code ${code ?? signal}`));
  const isOver = () => guard.pid === undefined || guard.exitCode !== null || guard.signalCode !== null;
  const killAll = () => {
    if (!isOver()) kill(-(guard.pid as number), 'SIGKILL');
  };
  return {
    kill: killAll,
    signalInside: (name) => {
      if (isOver()) return;
      const [unshare] = childrenOf(guard.pid);
      const [inside] = childrenOf(unshare);
      if (inside === undefined) killAll();
      else kill(inside, name);
    },
  };
}

function childrenOf(pid: number | undefined): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return text.split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

export function removeMounted(directory: string): void {
  const { status, stderr } = spawnSync('sh', ['-c', `${REMOVE}\nremove "$1"`, 'sh', directory]);
  if (status !== 0) throw new Error(`${directory} cannot be removed: ${String(stderr).trim()}`);
}
