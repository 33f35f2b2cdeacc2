const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

const WHOLE = /^([+-]?)((?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))+$/;
const PIECE = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/g;

export const DURATION_FORM = 'a duration such as "250ms", "1.5s" or "1h30m"';

/** Parses a duration like Go's time.ParseDuration, in ms; undefined if invalid. "0" needs no unit. */
export function parseDuration(text: string): number | undefined {
  if (/^[+-]?0$/.test(text)) return 0;
  if (!WHOLE.test(text)) return undefined;
  let milliseconds = 0;
  for (const [, amount, unit] of text.matchAll(PIECE)) {
    milliseconds += Number(amount) * (UNITS[unit ?? ''] ?? Number.NaN);
  }
  return text.startsWith('-') ? -milliseconds : milliseconds;
}

/** Formats ms like Go's Duration.String: `1h2m3.5s`, `250ms`, `0s`. */
export function formatDuration(milliseconds: number): string {
  const nanos = BigInt(Math.round(Math.abs(milliseconds) * 1e6));
  const sign = milliseconds < 0 && nanos !== 0n ? '-' : '';
  if (nanos === 0n) return '0s';
  if (nanos < 1_000n) return `${sign}${nanos}ns`;
  if (nanos < 1_000_000n) return `${sign}${decimal(nanos, 1_000n)}µs`;
  if (nanos < 1_000_000_000n) return `${sign}${decimal(nanos, 1_000_000n)}ms`;
  const minutes = nanos / 60_000_000_000n;
  const seconds = `${decimal(nanos % 60_000_000_000n, 1_000_000_000n)}s`;
  if (minutes === 0n) return sign + seconds;
  const hours = minutes / 60n;
  return hours === 0n ? `${sign}${minutes}m${seconds}` : `${sign}${hours}h${minutes % 60n}m${seconds}`;
}

function decimal(value: bigint, unit: bigint): string {
  const rest = (value % unit)
    .toString()
    .padStart(unit.toString().length - 1, '0')
    .replace(/0+$/, '');
  return rest === '' ? `${value / unit}` : `${value / unit}.${rest}`;
}
