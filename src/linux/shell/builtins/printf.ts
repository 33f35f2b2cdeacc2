import { decodeEscape, decodeEscapes } from '../syntax/escapes.js';

/** Wider fields are an error, and would only cost memory. */
const MAX_WIDTH = 65_536;

const DIRECTIVE = /%([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+)?)?(?:hh|h|ll|l|j|z|t|L)?([a-zA-Z%])/y;

interface Directive {
  readonly flags: string;
  readonly width: number;
  readonly precision: number | undefined;
  readonly conversion: string;
}

/** Far more than 64 bits have. */
export const MAX_DIGITS = 100;

/** Characters of output that are yielded at a time. */
const PIECE = 32 * 1024;

/** Repeats the format while arguments remain (POSIX printf). Yields long output in pieces; returns the last. */
export function* formatPrintf(
  format: string,
  args: readonly string[],
): Generator<string, { output: string; errors: readonly string[] }> {
  const formatter = new Formatter(args);
  do yield* formatter.pass(format);
  while (!formatter.isDone);
  return formatter;
}

class Formatter {
  output = '';
  readonly errors: string[] = [];
  readonly #args: readonly string[];
  #next = 0;
  #stopped = false;
  #consumed = false;

  constructor(args: readonly string[]) {
    this.#args = args;
  }

  get isDone(): boolean {
    return this.#stopped || !this.#consumed || this.#next >= this.#args.length;
  }

  *pass(format: string): Generator<string> {
    this.#consumed = false;
    for (let at = 0; at < format.length && !this.#stopped; ) {
      if (this.output.length > PIECE) {
        yield this.output;
        this.output = '';
      }
      const char = format.charAt(at);
      if (char === '%') at = this.#convert(format, at);
      else if (char === '\\') {
        if (format.charAt(at + 1) === 'c') this.#stopped = true;
        const decoded = decodeEscape(format, at + 1);
        if (!this.#stopped) this.output += decoded.text;
        at += 1 + decoded.length;
      } else {
        this.output += char;
        at++;
      }
    }
  }

  #convert(format: string, at: number): number {
    DIRECTIVE.lastIndex = at;
    const match = DIRECTIVE.exec(format);
    if (!match) return this.#fail(`${format.slice(at)}: invalid format`);
    const [whole, flags = '', width, precision, conversion = ''] = match;
    const given = width === '*' ? this.#number() : Number(width ?? 0);
    const directive: Directive = {
      flags: given < 0 ? `${flags}-` : flags,
      width: Math.min(Math.abs(given), MAX_WIDTH),
      precision: whole.includes('.')
        ? precision === '*'
          ? this.#number()
          : Number(precision ?? 0)
        : undefined,
      conversion,
    };
    const text = this.#format(directive);
    if (text === undefined) return this.#fail(`%${conversion}: invalid format`);
    this.output += pad(text, directive);
    return at + whole.length;
  }

  #fail(error: string): number {
    this.errors.push(error);
    this.#stopped = true;
    return Number.POSITIVE_INFINITY;
  }

  #format({ conversion, precision, flags }: Directive): string | undefined {
    if (conversion === '%') return '%';
    if (conversion === 's') return this.#take().slice(0, precision);
    if (conversion === 'c') return this.#take().slice(0, 1);
    if (conversion === 'b') return this.#escaped();
    if ('di'.includes(conversion)) return signed(this.#integer(), precision, flags);
    if ('ouxX'.includes(conversion)) return unsigned(this.#integer(), conversion, precision, flags);
    if ('feEgG'.includes(conversion)) return floating(this.#number(), conversion, precision ?? 6, flags);
    return undefined;
  }

  #escaped(): string {
    const { text, stopped } = decodeEscapes(this.#take());
    this.#stopped = stopped;
    return text;
  }

  #take(): string {
    this.#consumed = true;
    return this.#args[this.#next++] ?? '';
  }

  /** `3`, `0x10`, `010`, or `'a` for the code of a character. */
  #integer(): bigint {
    const text = this.#take().trim();
    if (/^['"]./.test(text)) return BigInt(text.codePointAt(1) as number);
    if (text === '' && this.#next > this.#args.length) return 0n;
    const [, sign, digits = ''] = /^([+-]?)(0[xX][0-9a-fA-F]+|[0-9]+)$/.exec(text) ?? [];
    if (digits === '' || digits.length > MAX_DIGITS || /^0[0-9]*[89]/.test(digits)) {
      this.errors.push(`invalid number '${text.slice(0, MAX_DIGITS)}'`);
      return 0n;
    }
    const value = BigInt(/^0[0-9]/.test(digits) ? `0o${digits.slice(1)}` : digits);
    return sign === '-' ? -value : value;
  }

  #number(): number {
    const text = this.#take().trim();
    const value = text === '' ? 0 : Number(text);
    if (!Number.isNaN(value)) return value;
    this.errors.push(`invalid number '${text}'`);
    return 0;
  }
}

function signed(value: bigint, precision: number | undefined, flags: string): string {
  const digits = String(value < 0n ? -value : value).padStart(Math.min(precision ?? 1, MAX_WIDTH), '0');
  return signOf(value < 0n, flags) + digits;
}

const signOf = (negative: boolean, flags: string): string =>
  negative ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';

function unsigned(value: bigint, conversion: string, precision: number | undefined, flags: string): string {
  const bits = BigInt.asUintN(64, value);
  const base = conversion === 'o' ? 8 : conversion === 'u' ? 10 : 16;
  const digits = bits.toString(base).padStart(Math.min(precision ?? 1, MAX_WIDTH), '0');
  const prefix = flags.includes('#') && bits !== 0n ? (base === 16 ? '0x' : base === 8 ? '0' : '') : '';
  return conversion === 'X' ? (prefix + digits).toUpperCase() : prefix + digits;
}

function floating(value: number, conversion: string, precision: number, flags: string): string {
  const magnitude = Math.abs(value);
  const digits = Math.min(precision, 100);
  const lower = conversion.toLowerCase();
  const text =
    lower === 'f'
      ? magnitude.toFixed(digits)
      : lower === 'e'
        ? exponential(magnitude, digits)
        : general(magnitude, digits || 1);
  return signOf(value < 0, flags) + (conversion === lower ? text : text.toUpperCase());
}

/** C writes at least two digits of an exponent. */
const exponential = (value: number, digits: number): string =>
  value.toExponential(digits).replace(/e([+-])(\d)$/, 'e$10$2');

function general(value: number, digits: number): string {
  const exponent = value === 0 ? 0 : Math.floor(Math.log10(value));
  if (exponent < -4 || exponent >= digits)
    return exponential(Number(value.toPrecision(digits)), digits - 1).replace(/\.?0+e/, 'e');
  return String(Number(value.toPrecision(digits)));
}

function pad(text: string, { flags, width, conversion, precision }: Directive): string {
  if (flags.includes('-')) return text.padEnd(width);
  const isInteger = 'diouxX'.includes(conversion);
  const withZeros =
    flags.includes('0') && !'scb%'.includes(conversion) && !(isInteger && precision !== undefined);
  if (!withZeros) return text.padStart(width);
  const sign = /^[-+ ]|^0[xX]/.exec(text)?.[0] ?? '';
  return sign + text.slice(sign.length).padStart(width - sign.length, '0');
}
