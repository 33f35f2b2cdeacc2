const UNITS = ['', 'K', 'M', 'G', 'T', 'P', 'E'] as const;

/** busybox's -h format: `512`, `1.5K`, `20.0M`. */
export function humanSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  for (; value >= 1024 && unit < UNITS.length - 1; unit++) value /= 1024;
  return `${unit === 0 ? value : value.toFixed(1)}${UNITS[unit] ?? ''}`;
}

/** Disk space in KiB: whole blocks of 4 KiB; a short link takes none. */
export const kibOnDisk = (kind: string, size: number): number =>
  kind === 'directory' ? 4 : kind === 'file' ? Math.ceil(size / 4096) * 4 : 0;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;
/** Older times are shown with their year (half a year). */
const RECENT_SECONDS = 15_768_000;

/** A time as `ls -l` shows it, in UTC. */
export function listedTime(time: bigint, now: bigint): string {
  const date = new Date(Number(time / 1_000_000n));
  const age = Number((now - time) / 1_000_000_000n);
  const day = `${MONTHS[date.getUTCMonth()]} ${String(date.getUTCDate()).padStart(2)}`;
  const two = (value: number) => String(value).padStart(2, '0');
  const isRecent = age >= 0 && age < RECENT_SECONDS;
  return `${day} ${isRecent ? `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}` : ` ${date.getUTCFullYear()}`}`;
}

/** `2020-01-02 03:04:00.000000000 +0000`, in UTC. */
export function fullTime(time: bigint): string {
  const nanos = ((time % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  const seconds = new Date(Number((time - nanos) / 1_000_000n)).toISOString().slice(0, 19).replace('T', ' ');
  return `${seconds}.${String(nanos).padStart(9, '0')} +0000`;
}
