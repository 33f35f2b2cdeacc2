import { DURATION_FORM, parseDuration } from '../../base/input/duration.js';
import { didYouMean } from '../../base/input/suggest.js';
import { InputError } from '../../base/input/yaml.js';
import type { SignalName } from '../process/process.js';
import { signalName } from '../process/signals.js';

export interface Behavior {
  /** Replaces an unknown server, assumed healthy: it answers on these ports, and probes and hooks succeed. */
  readonly healthy?: readonly number[];
  /** Exits with this code `after` the start; without it, it runs until it is stopped. */
  readonly exit?: number;
  /** Is killed for lack of memory `after` the start. */
  readonly oom?: boolean;
  /** For `exit` and `oom`; 0 by default. */
  readonly after?: number;
  readonly ignore?: readonly SignalName[];
  /** On TERM, exits with `code` after `after`. */
  readonly onTerm?: { readonly code: number; readonly after: number };
  /** Before this time the container is not ready: http answers 503, exec fails. */
  readonly readyAfter?: number;
  readonly readyUntil?: number;
  readonly http?: readonly HttpAnswer[];
  readonly startFails?: string;
  /** StartContainer takes this long; 0 by default. */
  readonly startDelay?: number;
  readonly log?: string;
  /** Interval of the lines of `log`; without it there is only one line. */
  readonly every?: number;
  /** Exit code of every exec, from `from` on. */
  readonly execExit?: number;
  /** When `execExit` begins to apply, after the start; 0 by default. */
  readonly from?: number;
  readonly execDelay?: number;
}

/** The HTTP status for a port and path; other paths of the port get 404. */
export interface HttpAnswer {
  readonly port: number;
  readonly path: string;
  readonly code: number;
}

interface Part {
  readonly form: string;
  /** Adds the part to the behavior; undefined if it can't be parsed. */
  read(value: string, before: Behavior): Behavior | undefined;
}

const PARTS: Readonly<Record<string, Part>> = {
  run: { form: 'run', read: (value) => (value === '' ? {} : undefined) },
  healthy: { form: 'healthy, or healthy=8080+9090 with its ports', read: readHealthy },
  exit: { form: 'exit=0 to exit=255', read: (value) => asCode(value, (exit) => ({ exit })) },
  oom: { form: 'oom', read: (value) => (value === '' ? { oom: true } : undefined) },
  after: { form: `after=${DURATION_FORM}`, read: (value) => asDuration(value, (after) => ({ after })) },
  ignore: { form: 'ignore=TERM, or several: ignore=TERM+INT', read: readIgnore },
  'on-term': { form: 'on-term=exit:CODE or on-term=exit:CODE,after:DURATION', read: readOnTerm },
  'ready-after': {
    form: 'ready-after=5s',
    read: (value) => asDuration(value, (readyAfter) => ({ readyAfter })),
  },
  'ready-until': {
    form: 'ready-until=5m',
    read: (value) => asDuration(value, (readyUntil) => ({ readyUntil })),
  },
  http: { form: 'http=PORT:/path:STATUS', read: readHttp },
  'start-fails': {
    form: 'start-fails=MESSAGE',
    read: (startFails) => (startFails ? { startFails } : undefined),
  },
  'start-delay': {
    form: 'start-delay=10s',
    read: (value) => asDuration(value, (startDelay) => ({ startDelay })),
  },
  log: { form: 'log=TEXT', read: (log) => (log ? { log } : undefined) },
  every: {
    form: 'every=1s',
    read: (value) => asDuration(value, (every) => (every > 0 ? { every } : undefined)),
  },
  'exec-exit': {
    form: 'exec-exit=0 to exec-exit=255',
    read: (value) => asCode(value, (execExit) => ({ execExit })),
  },
  from: { form: 'from=30s', read: (value) => asDuration(value, (from) => ({ from })) },
  'exec-delay': { form: 'exec-delay=5s', read: (value) => asDuration(value, (execDelay) => ({ execDelay })) },
};

/** Parts that an attempt may have several times. */
const REPEATABLE = new Set(['http']);

const EXCLUSIVE = [
  ['run', 'exit'],
  ['run', 'oom'],
  ['exit', 'oom'],
] as const;

/**
 * Parses behaviors such as `exit=1,after=3s;run`: commas separate parts, semicolons separate attempts; the last attempt
 * also applies to all later ones. Throws InputError with `source`, the part, and what is allowed.
 */
export function parseBehavior(text: string, source: string): readonly Behavior[] {
  return text.split(';').map((attempt) => parseAttempt(attempt.trim(), text, source));
}

/** Attempts count from 0. */
export function behaviorOf(behaviors: readonly Behavior[], attempt: number): Behavior {
  return behaviors[Math.min(attempt, behaviors.length - 1)] ?? {};
}

function parseAttempt(text: string, whole: string, source: string): Behavior {
  const refuse = (problem: string): never => {
    throw new InputError([`${source}: ${JSON.stringify(whole)}: ${problem}`]);
  };
  let behavior: Behavior = {};
  const seen = new Set<string>();
  // `on-term=exit:0,after:30s` is one part despite its comma.
  for (const part of text.split(/,(?!after:)/)) {
    const split = part.indexOf('=');
    const name = (split < 0 ? part : part.slice(0, split)).trim();
    const known = PARTS[name];
    const names = Object.keys(PARTS);
    if (!known)
      refuse(
        `unknown part ${JSON.stringify(name)}${didYouMean(name, names) || `; allowed: ${names.join(', ')}`}`,
      );
    if (seen.has(name) && !REPEATABLE.has(name)) refuse(`${name} is given twice`);
    seen.add(name);
    const change = known?.read(split < 0 ? '' : part.slice(split + 1).trim(), behavior);
    if (!change) refuse(`can't read ${JSON.stringify(part.trim())}; expected ${known?.form}`);
    behavior = { ...behavior, ...change };
  }
  const ends = behavior.exit !== undefined || behavior.oom;
  if (behavior.after !== undefined && !ends) refuse('after needs exit or oom: what happens then?');
  for (const [one, other] of EXCLUSIVE)
    if (seen.has(one) && seen.has(other)) refuse(`${one} and ${other} exclude each other`);
  if (behavior.every !== undefined && behavior.log === undefined) refuse('every needs log=TEXT');
  if (behavior.from !== undefined && behavior.execExit === undefined) refuse('from needs exec-exit=CODE');
  return behavior;
}

type Read = Behavior | undefined;

function asDuration(text: string, make: (milliseconds: number) => Read): Read {
  const milliseconds = parseDuration(text);
  return milliseconds === undefined || milliseconds < 0 ? undefined : make(milliseconds);
}

function asCode(text: string, make: (code: number) => Read): Read {
  return /^\d{1,3}$/.test(text) && Number(text) <= 255 ? make(Number(text)) : undefined;
}

function readIgnore(value: string): Read {
  const ignore = value.split('+').map(signalName);
  const isBad = ignore.some((signal) => signal === undefined || signal === 'KILL' || signal === 'STOP');
  return isBad ? undefined : { ignore: ignore as SignalName[] };
}

function readHealthy(value: string): Read {
  const healthy = value === '' ? [] : value.split('+').map(asPort);
  return healthy.includes(undefined) ? undefined : { healthy: healthy as number[] };
}

const asPort = (text: string): number | undefined => {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port < 1 || port > 65_535 ? undefined : port;
};

function readOnTerm(value: string): Read {
  const match = /^exit:(\d{1,3})(?:,after:(.+))?$/.exec(value);
  if (!match) return undefined;
  return asCode(match[1] as string, (code) =>
    asDuration(match[2] ?? '0', (after) => ({ onTerm: { code, after } })),
  );
}

function readHttp(value: string, before: Behavior): Read {
  const match = /^(\d{1,5}):(\/[^:]*):(\d{3})$/.exec(value);
  const port = asPort(match?.[1] ?? '');
  if (!match || port === undefined) return undefined;
  return { http: [...(before.http ?? []), { port, path: match[2] as string, code: Number(match[3]) }] };
}
