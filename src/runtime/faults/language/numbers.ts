import { isObject } from '../../../base/input/object.js';
import { camelCase } from '../../../cri/field-name.js';
import type { MessageType } from '../../../cri/messages.js';
import type { Action } from './actions.js';
import type { RuleProblem } from './check.js';
import { requestType, responseType } from './fields.js';
import { isNriRule } from './nri.js';
import type { FaultSpec } from './spec.js';

/** A place in a message, such as a field of the elements of a list. */
interface Place {
  readonly path: readonly string[];
  /** A partial message with nothing but this value. */
  around(value: unknown): object;
  /** The value of a whole message. */
  of(message: unknown): unknown;
}

type Refuse = (path: readonly string[], message: string) => void;

const MOST_NAMES = 5;
const LARGEST_ENUM = 100;

/** Replaces the names of enums' values by their numbers, which messages have. */
export function withNumbers(spec: FaultSpec): {
  readonly spec: FaultSpec;
  readonly problems: readonly RuleProblem[];
} {
  const problems: RuleProblem[] = [];
  const { match, action, methods } = spec;
  if (isNriRule(spec)) return { spec, problems };
  const convert = <T>(fields: T, types: readonly MessageType[], path: readonly string[]): T => {
    const refusals: RuleProblem[] = [];
    const refuse: Refuse = (at, message) => void refusals.push({ path: [...path, ...at], message });
    const converted = types.reduce<unknown>((known, type) => numbersIn(type, known, whole, refuse), fields);
    // Of several RPCs, only one may have the field with this value.
    if (refusals.length >= types.length) problems.push(...refusals.slice(0, 1));
    return converted as T;
  };
  const { request } = match;
  return {
    spec: {
      ...spec,
      match: request
        ? { ...match, request: convert(request, methods.map(requestType), ['match', 'request']) }
        : match,
      action:
        action?.name === 'reply'
          ? ({
              name: 'reply',
              options: Object.fromEntries(
                Object.entries(action.options).map(([how, fields]) => [
                  how,
                  isObject(fields)
                    ? convert(fields, methods.map(responseType), ['then', 'reply', how])
                    : fields,
                ]),
              ),
            } as Action)
          : action,
    },
    problems,
  };
}

const whole: Place = { path: [], around: (value) => value as object, of: (message) => message };

function numbersIn(type: MessageType, value: unknown, place: Place, refuse: Refuse): unknown {
  if (Array.isArray(value)) return value.map((each) => numbersIn(type, each, place, refuse));
  if (typeof value === 'string') return numberOf(type, value, place, refuse);
  if (!isObject(value)) return value;
  const message = attempt(() => place.of(type.fromPartial(place.around({}))));
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      key,
      numbersIn(type, part, inside(place, key, isObject(message) ? message : {}), refuse),
    ]),
  );
}

function inside({ path, around, of }: Place, key: string, message: object): Place {
  // The keys of a map are not fields.
  const name = Object.hasOwn(message, camelCase(key)) ? camelCase(key) : key;
  const isList = Array.isArray(Object.getOwnPropertyDescriptor(message, name)?.value);
  return {
    path: [...path, key],
    around: (value) => around({ [name]: isList ? [value] : value }),
    of: (outer) => {
      const parent = of(outer);
      const found = isObject(parent) ? parent[name] : undefined;
      return isList && Array.isArray(found) ? found[0] : found;
    },
  };
}

function numberOf(type: MessageType, text: string, { path, around, of }: Place, refuse: Refuse): unknown {
  const value = attempt(() => of(type.fromJSON(around(text))));
  if (typeof value !== 'number') return text;
  if (!Number.isNaN(value) && (value !== -1 || text === '-1')) return value;
  const names = Array.from({ length: LARGEST_ENUM }, (_, number) =>
    of(type.toJSON(type.fromPartial(around(number)))),
  ).filter((name) => typeof name === 'string' && name !== 'UNRECOGNIZED');
  const such = names.length === 0 ? '' : `, or a name such as ${names.slice(0, MOST_NAMES).join(', ')}`;
  refuse(path, `no value ${JSON.stringify(text)}; allowed: a number${such}`);
  return text;
}

/** Generated code throws for what is no 64-bit number: a pattern, or a computation. */
function attempt(make: () => unknown): unknown {
  try {
    return make();
  } catch {
    return undefined;
  }
}
