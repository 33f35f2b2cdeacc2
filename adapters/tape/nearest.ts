import { timesOf } from '../../src/base/input/counted.js';
import type { Exchange } from '../../src/tape/history/exchanges.js';
import { type Fields, fieldsOf } from '../../src/tape/history/fields.js';

export type NameOf = (id: string) => string;

/** Explains a missing answer: the nearest recorded call, and how it differs. `exchanges` have the same method. */
export function missText(
  method: string,
  fields: Fields,
  exchanges: readonly Exchange[],
  nameOf: NameOf,
): string {
  const given = `${method}${words(fields, nameOf)}`;
  if (exchanges.length === 0) return `the tape has no answer to ${given}: no call of ${method} was recorded`;
  const { exchange, differing } = nearest(method, fields, exchanges);
  const recorded = fieldsOf(method, exchange.request.value());
  if (differing.length === 0) {
    const times = exchanges.filter((each) => isEqual(fieldsOf(method, each.request.value()), fields)).length;
    return `the tape has no more answers to ${given}: it was recorded ${timesOf(times)}, last in line ${exchange.line}`;
  }
  const differences = differing.map(
    (name) => `${name} ${show(recorded[name], nameOf)} on the tape, ${show(fields[name], nameOf)} given`,
  );
  return `the tape has no answer to ${given}; the nearest recorded call is in line ${exchange.line}: ${differences.join('; ')}`;
}

/** The call with the most equal fields, the last of them; among different texts, a longer common prefix is nearer. */
function nearest(method: string, fields: Fields, exchanges: readonly Exchange[]) {
  let best = {
    exchange: exchanges[0] as Exchange,
    differing: [] as string[],
    distance: Number.POSITIVE_INFINITY,
  };
  for (const exchange of exchanges) {
    const recorded = fieldsOf(method, exchange.request.value());
    const differing = Object.keys({ ...recorded, ...fields }).filter(
      (name) => recorded[name] !== fields[name],
    );
    const distances = differing.map((name) => distanceOf(recorded[name] ?? '', fields[name] ?? ''));
    const distance = distances.reduce((sum, each) => sum + each, 0);
    if (distance <= best.distance) best = { exchange, differing, distance };
  }
  return best;
}

/** Between 1 and 2: less for texts with a longer common prefix. */
function distanceOf(a: string, b: string): number {
  let common = 0;
  while (common < a.length && a[common] === b[common]) common++;
  return 2 - common / Math.max(a.length, b.length, 1);
}

const isEqual = (a: Fields, b: Fields): boolean =>
  Object.keys({ ...a, ...b }).every((name) => a[name] === b[name]);

const show = (value: string | undefined, nameOf: NameOf): string =>
  value === undefined ? 'none' : JSON.stringify(nameOf(value));

function words(fields: Fields, nameOf: NameOf): string {
  const texts = Object.entries(fields).map(([name, value]) => `${name} ${nameOf(value)}`);
  return texts.length === 0 ? '' : ` (${texts.join(', ')})`;
}
