import { parseDuration } from '../../../base/input/duration.js';
import type { SeenTime } from '../facts.js';

export interface Stamped {
  readonly time: SeenTime | undefined;
  readonly rest: string;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MONTH = `(?:${MONTHS.join('|')})`;
const HOURS = '(\\d{1,2}):(\\d{2}):(\\d{2})(?:[.,](\\d{1,9}))?';

/** Date for times without one: all such times of a file are on this day, or on the next one after midnight. */
const SOME_DAY = Date.UTC(2000, 0, 1);
const SOME_YEAR = 2000;

const clock = (ms: number, within: number): SeenTime | undefined =>
  Number.isFinite(ms) ? { by: 'clock', ms, within } : undefined;

const fraction = (digits: string | undefined): number => Number(`0.${digits ?? '0'}`) * 1000;

const within = (digits: string | undefined): number => (digits === undefined ? 1000 : 1);

/** Patterns of a time at the beginning of a line; `text` is the match. */
const FORMS: readonly {
  readonly pattern: RegExp;
  readonly read: (found: RegExpExecArray) => SeenTime | undefined;
}[] = [
  {
    // 2024-05-01T10:00:00.123Z; logs also use a space.
    pattern:
      /^\[?(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:[.,](\d{1,9}))?\s?(Z|UTC|[+-]\d{2}:?\d{2})?\]?:?(?=\s|$)/,
    read: ([, day, time, digits, zone]) =>
      clock(Date.parse(`${day}T${time}${zoneOf(zone)}`) + fraction(digits), within(digits)),
  },
  {
    // Tue Nov 24 11:40:20 UTC 2026, as printed by date; Tue Nov 24 11:40:20 AM UTC 2026.
    pattern: new RegExp(
      `^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\\s+(${MONTH})\\s+(\\d{1,2})\\s+${HOURS}(?:\\s+(AM|PM))?(?:\\s+[A-Z]{1,5})?\\s+(\\d{4})(?=\\s|$)`,
    ),
    read: ([, month = '', day, h, m, s, digits, half, year]) =>
      clock(at(Number(year), month, day, hourOf(h, half), m, s) + fraction(digits), within(digits)),
  },
  {
    // Mon, 01 Jan 2024 10:00:00 +0100, as printed by kubectl describe.
    pattern: new RegExp(
      `^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),\\s+(\\d{1,2})\\s+(${MONTH})\\s+(\\d{4})\\s+${HOURS}\\s+([+-]\\d{4})(?=\\s|$)`,
    ),
    read: ([, day, month = '', year, h, m, s, , zone]) =>
      clock(at(Number(year), month, day, Number(h), m, s) - zoneMinutes(zone) * 60_000, 1000),
  },
  {
    // Nov 24 11:40:20, as printed by syslog and ts.
    pattern: new RegExp(`^\\[?(${MONTH})\\s+(\\d{1,2})\\s+${HOURS}\\]?(?=\\s|$)`),
    read: ([, month = '', day, h, m, s, digits]) =>
      clock(at(SOME_YEAR, month, day, Number(h), m, s) + fraction(digits), within(digits)),
  },
  {
    pattern: new RegExp(`^\\[?${HOURS}\\]?(?=\\s|$)`),
    read: ([, h, m, s, digits]) =>
      clock(SOME_DAY + seconds(Number(h), m, s) * 1000 + fraction(digits), within(digits)),
  },
  {
    // Seconds since 1970.
    pattern: /^(1\d{9})(?:\.(\d{1,9}))?(?=\s)/,
    read: ([, whole, digits]) => clock(Number(whole) * 1000 + fraction(digits), within(digits)),
  },
  {
    // 4m12.6s and 0.1s, as printed by Mockri.
    pattern: /^((?:\d+h)?(?:\d+m)?\d+\.\d+s)(?=\s)/,
    read: ([, text = '']) => {
      const ms = parseDuration(text);
      return ms === undefined ? undefined : { by: 'run', seconds: ms / 1000 };
    },
  },
];

const hourOf = (text: string | undefined, half: string | undefined): number =>
  half === undefined ? Number(text) : (Number(text) % 12) + (half === 'PM' ? 12 : 0);

const seconds = (hours: number, minutes = '', rest = ''): number =>
  hours * 3600 + Number(minutes) * 60 + Number(rest);

const at = (year: number, month: string, day = '', hours = 0, minutes = '', rest = ''): number =>
  Date.UTC(year, MONTHS.indexOf(month), Number(day)) + seconds(hours, minutes, rest) * 1000;

const zoneOf = (zone: string | undefined): string =>
  zone === undefined || zone === 'UTC' ? 'Z' : zone.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2');

function zoneMinutes(zone = '+0000'): number {
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3, 5));
  return zone.startsWith('-') ? -minutes : minutes;
}

export function takeTime(line: string): Stamped {
  for (const { pattern, read } of FORMS) {
    const found = pattern.exec(line);
    const time = found === null ? undefined : read(found);
    if (found !== null && time !== undefined) return { time, rest: line.slice(found[0].length).trimStart() };
  }
  return { time: undefined, rest: line };
}

/** RFC 3339. */
export function apiTime(text: unknown): SeenTime[] {
  const time = typeof text === 'string' ? takeTime(text).time : undefined;
  return time === undefined ? [] : [time];
}

/** klog: `1124 11:40:20.123456`. */
export function klogTime(month: string, day: string, time: string): SeenTime | undefined {
  return takeTime(`${MONTHS[Number(month) - 1] ?? ''} ${Number(day)} ${time}`).time;
}
