import { didYouMean } from '../../../base/input/suggest.js';
import { InputError } from '../../../base/input/yaml.js';
import type { StreamName } from '../../fault-decisions.js';
import { type ActionName, actionSchemas } from './actions.js';
import { isNri, NRI_PREFIX } from './nri.js';
import type { FaultInput } from './rule-schema.js';
import type { EndingSignal } from './signals.js';
import { triggers } from './trigger.js';

export const SHORTHAND_FORM =
  'TARGET=[N*|P%]ACTION[(ARGUMENT)][->…], as in StartContainer=1*off->2*error(UNAVAILABLE:oops)->delay(5s)';

/** Fields that may follow the terms of rules on sessions and connections. */
const FIELDS = /(?: (?:port|stream|server|afterBytes)=[^\s()]+)+$/;

const TERM = /^(?:(\d+)\*|(\d+(?:\.\d+)?)%)?([A-Za-z]+)(?:\((.*)\))?$/s;

/**
 * Reads the shorthand after FreeBSD's fail(9): `TARGET=TERM->TERM…`, where a term is `[N*|P%]ACTION[(ARGUMENT)]`. Terms
 * take effect one after the other, N times each; the last may have no end; `off` lets calls pass. The target is an RPC,
 * a glob or a group; a suffix `:message`, `:reply` or `:connection` acts on those. Throws InputError.
 */
export function parseShorthand(text: string): FaultInput[] {
  const split = text.indexOf('=');
  if (split < 1) throw bad(text, `expected ${SHORTHAND_FORM}`);
  const target = parseTarget(text.slice(0, split), text);
  const rules: FaultInput[] = [];
  let after = 0;
  const [written = ''] = FIELDS.exec(text) ?? [];
  const fields = new Map(written.split(' ').map((field) => field.split('=', 2) as [string, string]));
  const terms = text.slice(split + 1, text.length - written.length).split('->');
  for (const [index, source] of terms.entries()) {
    const term = parseTerm(source.trim(), text);
    const isLast = index === terms.length - 1;
    if (term.times === undefined && !isLast) {
      throw bad(
        text,
        `"${source}" never ends, so what follows would never happen; give it a count, as in 1*${source}`,
      );
    }
    if (term.then !== undefined) rules.push(toRule(target, term, after, fields));
    after += term.times ?? 0;
  }
  if (rules.length === 0) throw bad(text, 'every term is off, so nothing would ever happen');
  return rules;
}

export const named = (rules: readonly FaultInput[], name: string | undefined): readonly FaultInput[] =>
  name === undefined
    ? rules
    : rules.map((rule, index) => ({ ...rule, name: rules.length === 1 ? name : `${name}-${index + 1}` }));

interface Target {
  readonly method: string | undefined;
  readonly on: FaultInput['on'];
}

interface Term {
  readonly times: number | undefined;
  readonly probability: number | undefined;
  readonly then: FaultInput['then'] | undefined;
}

function toRule(target: Target, term: Term, after: number, fields: ReadonlyMap<string, string>): FaultInput {
  const [port, stream, server, afterBytes] = ['port', 'stream', 'server', 'afterBytes'].map((name) =>
    fields.get(name),
  );
  const isBytes = target.on === 'session' || target.on === 'connection';
  return {
    match: {
      ...(target.method !== undefined && { method: target.method }),
      ...(port !== undefined && { port: numberOr(port) as number }),
      ...(stream !== undefined && { stream: stream as StreamName }),
      ...(server !== undefined && { server: server as 'cri' | 'streaming' }),
    },
    ...(target.on && { on: target.on }),
    when: {
      ...(after > 0 && { after }),
      ...(term.times !== undefined && { times: term.times }),
      ...(afterBytes !== undefined && { afterBytes: numberOr(afterBytes) as number }),
      ...(term.probability !== undefined && { probability: term.probability }),
    },
    then: isBytes ? inBytes(term.then ?? {}) : (term.then ?? {}),
  };
}

/** The rate of a session or connection is in bytes. */
const inBytes = (then: FaultInput['then']): FaultInput['then'] =>
  then.throttle?.perSecond === undefined ? then : { throttle: { bytesPerSecond: then.throttle.perSecond } };

function parseTarget(source: string, text: string): Target {
  const isPlugin = isNri(source);
  const [first = '', on, ...rest] = (isPlugin ? source.slice(NRI_PREFIX.length) : source).split(':');
  const method = isPlugin ? `${NRI_PREFIX}${first}` : first;
  const known = triggers;
  const trigger = known.find(
    (name) => name === (on ?? (method === 'connection' || method === 'time' ? method : undefined)),
  );
  if (rest.length > 0 || (on !== undefined && trigger === undefined)) {
    throw bad(
      text,
      `"${on}" after the colon${didYouMean(on ?? '', known) || `; allowed: ${known.join(', ')}`}`,
    );
  }
  const hasMethod = method !== 'connection' && method !== 'time' && method !== '';
  return { method: hasMethod ? method : undefined, on: trigger };
}

function parseTerm(source: string, text: string): Term {
  const match = TERM.exec(source);
  if (match === null) throw bad(text, `can't read "${source}"; expected ${SHORTHAND_FORM}`);
  const [, times, percent, action = '', argument] = match;
  if (percent !== undefined && !(Number(percent) > 0 && Number(percent) <= 100))
    throw bad(text, `"${source}": a percentage is more than 0 and at most 100`);
  if (times === '0') throw bad(text, `"${source}" happens 0 times; leave it out`);
  return {
    times: times === undefined ? undefined : Number(times),
    probability: percent === undefined ? undefined : Number(percent) / 100,
    then: action === 'off' ? undefined : toThen(action, argument, text),
  };
}

const ARGUMENTS: Readonly<Record<string, (argument: string) => unknown>> = {
  delay: (duration) => duration,
  error: codeAndMessage,
  close: codeAndMessage,
  hang: (duration) => ({ for: duration }),
  hold: (duration) => ({ for: duration }),
  stall: (duration) => ({ for: duration }),
  pause: (duration) => ({ for: duration }),
  reset: (code) => ({ code }),
  exit: (end) => (/^[A-Z]/.test(end) ? { signal: end as EndingSignal } : { code: numberOr(end) }),
  latency: (duration) => ({ duration }),
  slowStart: (duration) => ({ duration }),
  slowCreate: (duration) => ({ duration }),
  restart: (duration) => ({ downFor: duration }),
  duplicate: (copies) => ({ copies: numberOr(copies) }),
  reorder: (window) => ({ window: numberOr(window) }),
  replay: (last) => ({ last: numberOr(last) }),
  throttle: (perSecond) => ({ perSecond: numberOr(perSecond) }),
  clockSkew: (by) => ({ by }),
};

/** The check of the rule reports anything that isn't a number. */
const numberOr = (text: string): number | string => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text);

function toThen(action: string, argument: string | undefined, text: string): FaultInput['then'] {
  const names = ['off', 'delay', ...Object.keys(actionSchemas)];
  if (!names.includes(action))
    throw bad(
      text,
      `unknown action "${action}"${didYouMean(action, names) || `; allowed: ${names.join(', ')}`}`,
    );
  if (argument === undefined || argument === '') return { [action as ActionName]: {} } as FaultInput['then'];
  const read = ARGUMENTS[action];
  if (read === undefined) throw bad(text, `"${action}" takes no argument here; given "${argument}"`);
  return { [action]: read(argument) } as FaultInput['then'];
}

/** `UNAVAILABLE:some text`, or either of the two. */
function codeAndMessage(argument: string): { code?: string; message?: string } {
  const match = /^([A-Z_]+)(?::(.*))?$/s.exec(argument);
  if (match === null) return { message: argument };
  return { code: match[1] as string, ...(match[2] !== undefined && { message: match[2] }) };
}

const bad = (text: string, problem: string): InputError =>
  new InputError([`${JSON.stringify(text)}: ${problem}`]);
