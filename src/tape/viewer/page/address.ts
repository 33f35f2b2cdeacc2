import { type Filter, NO_FILTER } from '../model/filter.js';
import { type View, within } from '../model/view.js';

export interface Address {
  readonly view: View | undefined;
  readonly line: number | undefined;
  readonly tape: number;
  readonly filter: Filter;
}

/** Parses the part of the address after `#`; ignores invalid parts. The view is within a tape of length `end`. */
export function readAddress(hash: string, end: number): Address {
  const values = new URLSearchParams(hash.replace(/^#/, ''));
  const [from, to] = (values.get('t') ?? '').split('~').map((text) => Number.parseFloat(text) * 1e9);
  const isView = Number.isFinite(from) && Number.isFinite(to) && Number(from) < Number(to);
  const line = Number(values.get('line'));
  return {
    view: isView ? within({ from: Number(from), to: Number(to) }, end) : undefined,
    line: Number.isSafeInteger(line) && line > 0 ? line : undefined,
    tape: values.get('tape') === '2' ? 1 : 0,
    filter: {
      text: values.get('q') ?? NO_FILTER.text,
      pod: values.get('pod') ?? NO_FILTER.pod,
      method: values.get('method') ?? NO_FILTER.method,
      code: values.get('code') ?? NO_FILTER.code,
      faulty: values.get('faults') === '1',
    },
  };
}

export function addressOf({ view, line, tape, filter }: Address): string {
  const values = new URLSearchParams();
  if (view !== undefined) values.set('t', `${(view.from / 1e9).toFixed(6)}~${(view.to / 1e9).toFixed(6)}`);
  if (line !== undefined) values.set('line', String(line));
  if (tape === 1) values.set('tape', '2');
  if (filter.text !== '') values.set('q', filter.text);
  if (filter.pod !== '') values.set('pod', filter.pod);
  if (filter.method !== '') values.set('method', filter.method);
  if (filter.code !== '') values.set('code', filter.code);
  if (filter.faulty) values.set('faults', '1');
  return values.toString();
}
