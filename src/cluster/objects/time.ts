/** RFC 3339 as Unix nanoseconds; undefined for no time. */
export const fromTime = (text: string | null | undefined): bigint | undefined =>
  text === undefined || text === null ? undefined : BigInt(Date.parse(text)) * 1_000_000n;

/** Unix nanoseconds as v1.Time: whole seconds. */
export const toTime = (time: bigint): string =>
  `${new Date(Number(time / 1_000_000n)).toISOString().slice(0, 19)}Z`;

/** Unix nanoseconds as v1.MicroTime. */
export const toMicroTime = (time: bigint): string =>
  `${toTime(time).slice(0, -1)}.${String((time / 1000n) % 1_000_000n).padStart(6, '0')}Z`;
