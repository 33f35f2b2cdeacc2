import { isDeepStrictEqual } from 'node:util';
import { InputError } from '../../../base/input/yaml.js';
import type { FaultInput } from './rule-schema.js';
import { parseShorthand } from './shorthand.js';

/**
 * Describes a rule in one line, with everything that distinguishes it: in shorthand, followed by what the shorthand
 * cannot express, such as `StartContainer=1*off->2*error(UNAVAILABLE) pod=default/web-* per=pod`. An action without a
 * short form is written as JSON.
 */
export function describeRule(rule: FaultInput): string {
  return [`${targetOf(rule)}=${termsOf(rule)}`, ...fieldsOf(rule)].join(' ');
}

function targetOf({ match, on }: FaultInput): string {
  const methods = [match?.method ?? []].flat().join(',');
  if (methods === '') return on ?? '*';
  return on === undefined ? methods : `${methods}:${on}`;
}

function termsOf({ when = {}, then }: FaultInput): string {
  const { after, times, probability } = when;
  const count = times === undefined ? '' : `${times}*`;
  // A term has a number or a percentage; fieldsOf shows the percentage if there are both.
  const share = probability === undefined || times !== undefined ? '' : `${percent(probability)}%`;
  const skipped = after === undefined || after === 0 ? '' : `${after}*off->`;
  return `${skipped}${count}${share}${actionsOf(then)}`;
}

/** Without the digits that binary fractions add. */
const percent = (share: number): number => Number((share * 100).toPrecision(12));

function actionsOf(then: FaultInput['then']): string {
  const short = shortAction(then);
  if (short !== undefined) return short;
  return Object.entries(then)
    .map(([name, options]) => `${name} ${typeof options === 'string' ? options : JSON.stringify(options)}`)
    .join(' + ');
}

/** The action as a term of the shorthand; undefined if that term would mean something else. */
function shortAction(then: FaultInput['then']): string | undefined {
  const [first, ...more] = Object.entries(then);
  if (first === undefined || more.length > 0) return undefined;
  const [name, options] = first;
  const values = typeof options === 'object' ? Object.values(options) : [options];
  const text = values.length === 0 ? name : `${name}(${values.join(':')})`;
  try {
    const rules = parseShorthand(`*=${text}`);
    return rules.length === 1 && isDeepStrictEqual(rules[0]?.then, then) ? text : undefined;
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

function fieldsOf({ match = {}, when = {} }: FaultInput): string[] {
  const { node, plugin, pod, container, port, stream, server, request } = match;
  const { times, afterBytes, probability, every, during, while: required, per } = when;
  const fields: [name: string, value: unknown][] = [
    ['node', node],
    ['plugin', plugin],
    ['pod', pod && namedShort(pod)],
    ['container', container && namedShort(container)],
    ['port', port],
    ['stream', stream],
    ['server', server],
    ['request', request],
    ['afterBytes', afterBytes],
    ['probability', times === undefined ? undefined : probability],
    ['every', every],
    ['during', during],
    ['while', required],
    ['per', per],
  ];
  return fields.flatMap(([name, value]) =>
    value === undefined ? [] : `${name}=${typeof value === 'object' ? JSON.stringify(value) : value}`,
  );
}

/** `default/web-*` or `app`, in the form of `--pod` and `--container`, if the rule matches nothing but a name. */
function namedShort(facts: {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
}): unknown {
  const { name, namespace, ...more } = facts;
  if (name === undefined || Object.keys(more).length > 0) return facts;
  return namespace === undefined ? name : `${namespace}/${name}`;
}
