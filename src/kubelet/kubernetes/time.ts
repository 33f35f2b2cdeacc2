import { z } from 'zod';

/** RFC 3339 as Unix nanoseconds; undefined for no time. */
export const fromTime = (text: string | null | undefined): bigint | undefined =>
  text === undefined || text === null ? undefined : BigInt(Date.parse(text)) * 1_000_000n;

/** metav1.Time as it stands in an object: RFC 3339, or null for no time. Unix nanoseconds when read. */
export const time = z.iso.datetime({ offset: true }).nullable().transform(fromTime).optional();

/** Unix nanoseconds as metav1.Time: whole seconds. */
export const toTime = (instant: bigint): string => `${dateTime(instant)}Z`;

/** Unix nanoseconds as metav1.Time; null for no time, which is undefined or 0. */
export const toTimeOrNull = (instant: bigint | undefined): string | null =>
  instant === undefined || instant === 0n ? null : toTime(instant);

/** Unix nanoseconds as metav1.MicroTime. */
export const toMicroTime = (instant: bigint): string =>
  `${dateTime(instant)}.${String((instant / 1000n) % 1_000_000n).padStart(6, '0')}Z`;

/** Unix nanoseconds as Go's time.RFC3339Nano: without trailing zeros. */
export function toNanoTime(instant: bigint): string {
  const fraction = (instant % 1_000_000_000n).toString().padStart(9, '0').replace(/0+$/, '');
  return `${dateTime(instant)}${fraction === '' ? '' : `.${fraction}`}Z`;
}

const dateTime = (instant: bigint): string =>
  new Date(Number(instant / 1_000_000n)).toISOString().slice(0, 19);
