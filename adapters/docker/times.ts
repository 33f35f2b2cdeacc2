/** Converts Docker's time (RFC 3339, nanoseconds) to Unix nanoseconds; 0 for an unset time. */
export function parseTime(text: string | undefined): bigint {
  const match = /^(.*?)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/.exec(text ?? '');
  if (match === null) return 0n;
  const [, seconds = '', fraction = '', zone = ''] = match;
  const millis = Date.parse(`${seconds}${zone}`);
  if (Number.isNaN(millis) || millis < 0) return 0n;
  return BigInt(millis) * 1_000_000n + BigInt(fraction.padEnd(9, '0').slice(0, 9));
}
