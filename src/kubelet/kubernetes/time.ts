import { z } from 'zod';

/** RFC 3339 to Unix nanoseconds; undefined without a time. */
export const fromTime = (text: string | null | undefined): bigint | undefined =>
  text === undefined || text === null ? undefined : BigInt(Date.parse(text)) * 1_000_000n;

/** metav1.Time: RFC 3339, or null for no time. Parses to Unix nanoseconds. */
export const time = z.iso.datetime({ offset: true }).nullable().transform(fromTime).optional();

/** Unix nanoseconds to metav1.Time, in whole seconds. */
export const toTime = (instant: bigint): string => `${dateTime(instant)}Z`;

/** Unix nanoseconds to metav1.Time; null for undefined or 0. */
export const toTimeOrNull = (instant: bigint | undefined): string | null =>
  instant === undefined || instant === 0n ? null : toTime(instant);

/** Unix nanoseconds to metav1.MicroTime. */
export const toMicroTime = (instant: bigint): string =>
  `${dateTime(instant)}.${String((instant / 1000n) % 1_000_000n).padStart(6, '0')}Z`;

/** Unix nanoseconds to Go's time.RFC3339Nano: no trailing zeros. */
export function toNanoTime(instant: bigint): string {
  const fraction = (instant % 1_000_000_000n).toString().padStart(9, '0').replace(/0+$/, '');
  return `${dateTime(instant)}${fraction === '' ? '' : `.${fraction}`}Z`;
}

const dateTime = (instant: bigint): string =>
  new Date(Number(instant / 1_000_000n)).toISOString().slice(0, 19);
