import type { Process } from '../../process/process.js';
import { getopt } from '../kit/getopt.js';
import { command, demandFormat, ToolError } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

const two = (value: number): string => String(value).padStart(2, '0');
const blank = (value: number): string => String(value).padStart(2, ' ');

/** strftime(3) in UTC, the time zone of containers; `nanos` are Unix nanoseconds. */
export function formatTime(format: string, nanos: bigint): string {
  const date = new Date(Number(nanos / 1_000_000n));
  const [hour, year] = [date.getUTCHours(), date.getUTCFullYear()];
  const [weekday, month] = [DAYS[date.getUTCDay()] ?? '', MONTHS[date.getUTCMonth()] ?? ''];
  const dayOfYear = Math.floor((date.getTime() - Date.UTC(year, 0, 1)) / 86_400_000);
  const again = (inner: string): string => formatTime(inner, nanos);
  const fields: Readonly<Record<string, () => string>> = {
    '%': () => '%',
    A: () => weekday,
    a: () => weekday.slice(0, 3),
    B: () => month,
    b: () => month.slice(0, 3),
    C: () => two(Math.floor(year / 100)),
    c: () => again('%a %b %e %H:%M:%S %Y'),
    D: () => again('%m/%d/%y'),
    d: () => two(date.getUTCDate()),
    e: () => blank(date.getUTCDate()),
    F: () => again('%Y-%m-%d'),
    H: () => two(hour),
    h: () => again('%b'),
    I: () => two(hour % 12 || 12),
    j: () => String(dayOfYear + 1).padStart(3, '0'),
    k: () => blank(hour),
    l: () => blank(hour % 12 || 12),
    M: () => two(date.getUTCMinutes()),
    m: () => two(date.getUTCMonth() + 1),
    N: () => String(nanos % 1_000_000_000n).padStart(9, '0'),
    n: () => '\n',
    p: () => (hour < 12 ? 'AM' : 'PM'),
    R: () => again('%H:%M'),
    r: () => again('%I:%M:%S %p'),
    S: () => two(date.getUTCSeconds()),
    s: () => String(nanos / 1_000_000_000n),
    T: () => again('%H:%M:%S'),
    t: () => '\t',
    U: () => two(Math.floor((dayOfYear + 7 - date.getUTCDay()) / 7)),
    u: () => String(date.getUTCDay() || 7),
    w: () => String(date.getUTCDay()),
    X: () => again('%H:%M:%S'),
    x: () => again('%m/%d/%y'),
    Y: () => String(year),
    y: () => two(year % 100),
    Z: () => 'UTC',
    z: () => '+0000',
  };
  const digits = (count: string | undefined) =>
    String(nanos % 1_000_000_000n)
      .padStart(9, '0')
      .slice(0, Number(count ?? 9));
  return format.replace(/%(\d)?([%a-zA-Z])/g, (whole, count: string | undefined, letter: string) =>
    letter === 'N' ? digits(count) : (fields[letter]?.() ?? whole),
  );
}

const ISO: Readonly<Record<string, string>> = {
  date: '%Y-%m-%d',
  hours: '%Y-%m-%dT%H%z',
  minutes: '%Y-%m-%dT%H:%M%z',
  seconds: '%Y-%m-%dT%H:%M:%S%z',
};

const UNITS: Readonly<Record<string, bigint>> = {
  second: 1n,
  sec: 1n,
  minute: 60n,
  min: 60n,
  hour: 3600n,
  day: 86_400n,
  week: 604_800n,
};

/** `@1700000000`, `2026-11-21 10:00[:00]`, `now`, `2 hours ago`, `+5 minutes`; undefined for anything else. */
function parseTime(text: string, now: bigint): bigint | undefined {
  const second = 1_000_000_000n;
  const seconds = /^@(\d+)$/.exec(text)?.[1];
  if (seconds !== undefined) return BigInt(seconds) * second;
  if (text === 'now' || text === '') return now;
  const [, sign, count = '0', unit = '', ago] = /^([+-]?)(\d+) ?([a-z]+?)s?( ago)?$/.exec(text) ?? [];
  const length = UNITS[unit];
  if (length !== undefined) return now + (ago || sign === '-' ? -1n : 1n) * BigInt(count) * length * second;
  const isDate = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?Z?)?$/.test(text);
  const millis = isDate
    ? Date.parse(`${text.replace(' ', 'T').replace(/Z$/, '')}${text.length > 10 ? 'Z' : ''}`)
    : Number.NaN;
  return Number.isNaN(millis) ? undefined : BigInt(millis) * 1_000_000n;
}

async function timeOf(process: Process, given: string | undefined, file: string | undefined) {
  if (file !== undefined) return (await process.fs.stat(file)).modifiedAt;
  return given === undefined ? process.clock.now() : parseTime(given, process.clock.now());
}

const LONG = { utc: 'u', date: 'd', 'rfc-2822': 'R', 'rfc-email': 'R', reference: 'r', set: 's' };

const date = command({ isRaw: true }, async (tool) => {
  // -I takes its argument without a space or not at all, which getopt(3) doesn't support.
  const iso = tool.args
    .map((arg) => /^(?:-I|--iso-8601=?)(.*)$/.exec(arg)?.[1])
    .find((found) => found !== undefined);
  const others = tool.args.filter((arg) => !/^(-I|--iso-8601)/.test(arg));
  const options = getopt(others, 'uRd:r:s:D:', { long: LONG });
  const [format] = options.operands;
  if (options.has('s') || (format !== undefined && !format.startsWith('+')))
    throw new ToolError("can't set date: Operation not permitted");
  const time = await timeOf(tool.process, options.value('d'), options.value('r'));
  if (time === undefined) throw new ToolError(`invalid date '${options.value('d')}'`);
  const named = iso === undefined ? undefined : ISO[iso || 'date'];
  if (iso !== undefined && named === undefined) throw new ToolError(`invalid argument '${iso}' to '-I'`);
  const usual = options.has('R') ? '%a, %d %b %Y %H:%M:%S %z' : '%a %b %e %H:%M:%S %Z %Y';
  await tool.print(`${formatTime((demandFormat(format ?? '').slice(1) || named) ?? usual, time)}\n`);
});

/** busybox's date; it can't set the clock. */
export const systemDateCommands: CommandTable = { date };
