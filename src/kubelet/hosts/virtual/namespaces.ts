import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UserError } from '../../../base/input/user-error.js';
import { CGROUP } from '../program/cgroup.js';

/** Where the program finds its own files: the same path in every run, because calls contain it. */
export const OWN_PLACE = '/var/lib/kubelet';

/** Temporary files: their random names come from the seed, so two programs would choose the same names. */
const OWN_TEMPORARY = `${OWN_PLACE}/tmp`;

/** Directories outside its own that the program writes to; it finds empty ones there. */
const ownPlaces = (): readonly string[] => [existsSync(OWN_PLACE) ? OWN_PLACE : '/var/lib', '/var/log'];

/** Path of a program's own file for this process; other paths are unchanged. */
export function placeOutside(directory: string, path: string): string {
  const isOwn = ownPlaces().some((place) => path === place || path.startsWith(`${place}/`));
  return isOwn ? join(directory, path) : path;
}

/** Kernel parameters that a kubelet wants (container_manager_linux.go setupKernelTunables), so that it changes none. */
const PARAMETERS = {
  'vm/overcommit_memory': 1,
  'vm/panic_on_oom': 0,
  'kernel/panic': 10,
  'kernel/panic_on_oops': 1,
  'kernel/keys/root_maxkeys': 1_000_000,
  'kernel/keys/root_maxbytes': 25_000_000,
} as const;

/**
 * Mounts made before the program starts; the script's first argument is the directory, the second the program. The
 * kernel log becomes an empty pipe that stays open. The mounts and cgroups of other programs are hidden, because the
 * program inspects all of them. What it would mount as tmpfs stays a directory: the runtime, which is outside, finds
 * the files of Secrets there.
 */
const SETUP = `${CGROUP}
set -e
hidden=$(cut -d ' ' -f 2 /proc/mounts | sort -r | while read -r place; do
  case $place in / | /proc | /proc/* | /sys | /sys/* | /dev | /dev/pts | /etc/* | /usr | /usr/*) continue ;; esac
  case "$1/ $2/" in "$place"/* | *" $place"/*) continue ;; esac
  printf '%s\\n' "$place"
done)
[ -z "$hidden" ] || umount --lazy $hidden 2>/dev/null || true
case "$1/ $2/" in /run/* | *" /run/"*) ;; *) mkdir -p "$1/run" && mount --bind "$1/run" /run ;; esac
mount --bind "$1/hosts" /etc/hosts
if [ -e /dev/kmsg ]; then
  [ -p "$1/kmsg" ] || mkfifo "$1/kmsg"
  mount --bind "$1/kmsg" /dev/kmsg
  exec 5<>"$1/kmsg"
fi
own=$(cgroup "$1")
if [ -n "$own" ] && mkdir -p "$own" 2>/dev/null; then
  echo 0 2>/dev/null >"$own/cgroup.procs" || own=
else
  own=
fi
for each in $(cd "$1/sys" && find . -type f); do
  [ ! -e "/proc/sys/$each" ] || mount --bind "$1/sys/$each" "/proc/sys/$each"
done
export TMPDIR=${OWN_TEMPORARY}
mount=$(command -v mount)
mkdir -p "$1/bin"
printf '#!/bin/sh\\ncase " $* " in *" tmpfs "*) exit 0 ;; esac\\nexec %s "$@"\\n' "$mount" >"$1/bin/mount"
chmod +x "$1/bin/mount"
bin=$1/bin
shift 2
while [ "$1" != -- ]; do mount --bind "$1" "$2"; shift 2; done
shift
export PATH="$bin:$PATH"
[ -n "$own" ] || exec "$@"
exec unshare --cgroup sh -c '"$0" -t cgroup2 cgroup2 /sys/fs/cgroup; exec "$@"' "$mount" "$@"`;

/** Namespaces for mounts, processes, host name and IPC; also for users unless this process is root. */
const flagsOf = (isRoot: boolean): readonly string[] => [
  ...(isRoot ? [] : ['--user', '--map-root-user']),
  ...['--mount', '--pid', '--uts', '--ipc', '--fork', '--kill-child', '--mount-proc'],
];

/** Throws UserError if this user cannot create namespaces. */
export function checkNamespaces(): void {
  const { status, stderr, error } = spawnSync(
    'unshare',
    [...flagsOf(isRoot()), 'mount', '--bind', '/', '/'],
    {
      encoding: 'utf8',
    },
  );
  if (status === 0) return;
  const why = error?.message ?? stderr.trim();
  throw new UserError(
    `a real program needs its own namespaces, and this machine refuses them: ${why}; run as root, or allow user namespaces`,
  );
}

/**
 * The command that runs a program in new namespaces: its process id is the same in every run, and so is the path at
 * which it finds a directory.
 */
export const inOwnProcesses = (
  command: readonly string[],
  { directory, place }: { readonly directory: string; readonly place: string },
): string[] => [
  ...['unshare', ...flagsOf(isRoot())],
  ...['sh', '-c', 'mount --bind "$0" "$1" && shift && exec "$@"', directory, place],
  ...command,
];

const isRoot = (): boolean => process.getuid?.() === 0;

/**
 * The command that runs a program in its own namespaces: it sees only its own processes, its directory also holds the
 * files it keeps elsewhere, and the node's name resolves without DNS.
 */
export function inNamespaces(directory: string, nodeName: string, command: readonly string[]): string[] {
  writeFileSync(join(directory, 'hosts'), `127.0.0.1 localhost\n::1 localhost\n192.0.2.2 ${nodeName}\n`);
  for (const [name, value] of Object.entries(PARAMETERS)) {
    const file = join(directory, 'sys', name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${value}\n`);
  }
  const mounts = ownPlaces().flatMap((place) => {
    const source = join(directory, place);
    mkdirSync(source, { recursive: true });
    return [source, place];
  });
  mkdirSync(placeOutside(directory, OWN_TEMPORARY), { recursive: true });
  const [program = ''] = command;
  return [
    'unshare',
    ...flagsOf(isRoot()),
    'sh',
    '-c',
    SETUP,
    'sh',
    directory,
    program,
    ...mounts,
    '--',
    ...command,
  ];
}
