import type { Clock } from '../../base/clock/clock.js';
import type { ByteSink, ByteSource, SignalName, Terminal } from './process.js';
import { WaitList } from './wait-list.js';

export interface TerminalOptions {
  readonly clock: Clock;
  readonly stdin: ByteSource;
  readonly stdout: ByteSink;
  /** Initial size; default 80 × 24. */
  readonly size?: TerminalSize | undefined;
}

/** In characters. */
export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** The ends for processes: pass `terminal` as their `tty`, `stdin` and `stdout`, the latter also as stderr. */
export interface OpenTerminal {
  readonly terminal: Terminal;
  readonly stdin: ByteSource;
  readonly stdout: ByteSink;
  /** The client resized its window: the foreground processes get WINCH. */
  resize(size: TerminalSize): void;
}

const DEFAULT_SIZE: TerminalSize = { width: 80, height: 24 };

/** The longest line of a terminal, as on Linux (N_TTY). */
const MAX_LINE = 4095;

/** Control characters of termios(3), with the defaults of `stty`. */
const INTERRUPT = 0x03;
const END_OF_FILE = 0x04;
const BACKSPACE = 0x08;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const KILL_LINE = 0x15;
const ERASE_WORD = 0x17;
const SUSPEND = 0x1a;
const ESCAPE = 0x1b;
const QUIT = 0x1c;
const DELETE = 0x7f;

const SIGNALS: ReadonlyMap<number, SignalName> = new Map([
  [INTERRUPT, 'INT'],
  [QUIT, 'QUIT'],
  [SUSPEND, 'TSTP'],
]);

/**
 * A terminal between a client and processes, in the kernel's canonical mode: it echoes input, edits the line
 * (backspace, Ctrl-U, Ctrl-W), passes it on with its newline or with Ctrl-D, turns Ctrl-C, Ctrl-\ and Ctrl-Z into
 * signals for the foreground processes, and writes newlines as \r\n (ICANON, ECHO, ISIG, ICRNL, ONLCR). The end of the
 * client's input is an end of file. In raw mode it passes keys on as they arrive, except that Return is a newline
 * (ICRNL).
 */
export function createTerminal({ clock, stdin, stdout, size = DEFAULT_SIZE }: TerminalOptions): OpenTerminal {
  let current = size;
  const discipline = new LineDiscipline(clock, stdout, (signal) => terminal.foreground?.signal(signal));
  const terminal: Terminal = {
    size: () => current,
    foreground: undefined,
    get raw() {
      return discipline.raw;
    },
    set raw(raw) {
      discipline.setRaw(raw);
    },
  };
  void clock.run(() => discipline.listen(stdin));
  return {
    terminal,
    stdin: { read: (signal) => discipline.read(signal), terminal },
    stdout: {
      write: (chunk, signal) => stdout.write(withReturns(chunk), signal),
      end: () => stdout.end(),
      terminal,
    },
    resize: (wanted) => {
      current = wanted;
      terminal.foreground?.signal('WINCH');
    },
  };
}

/** ONLCR */
function withReturns(chunk: Buffer): Buffer {
  return chunk.includes(NEWLINE)
    ? Buffer.from(chunk.toString('latin1').replaceAll('\n', '\r\n'), 'latin1')
    : chunk;
}

class LineDiscipline {
  readonly #clock: Clock;
  readonly #screen: ByteSink;
  readonly #signal: (signal: SignalName) => void;
  /** Unread lines; an empty one is an end of file. */
  #lines: Buffer[] = [];
  #line: number[] = [];
  #raw = false;
  #ended = false;
  readonly #readers: WaitList;
  #echo: string[] = [];

  constructor(clock: Clock, screen: ByteSink, signal: (signal: SignalName) => void) {
    this.#clock = clock;
    this.#screen = screen;
    this.#signal = signal;
    this.#readers = new WaitList(clock);
  }

  async listen(keys: ByteSource): Promise<void> {
    for (;;) {
      const chunk = await this.#clock.idle(keys.read()).catch(() => null);
      if (chunk === null) break;
      await this.#take(chunk);
    }
    if (this.#line.length > 0) this.#deliver();
    this.#ended = true;
    this.#readers.wakeAll();
  }

  get raw(): boolean {
    return this.#raw;
  }

  /** Unread input stays, and can be read immediately (n_tty_set_termios of the kernel). */
  setRaw(raw: boolean): void {
    if (raw === this.#raw) return;
    this.#raw = raw;
    this.#lines = this.#lines.filter((line) => line.length > 0);
    if (this.#line.length > 0) this.#deliver();
  }

  /** The next line; null for an end of file, after which more may follow. */
  async read(signal?: AbortSignal): Promise<Buffer | null> {
    for (;;) {
      const line = this.#lines.shift();
      if (line !== undefined) return line.length > 0 ? line : null;
      if (this.#ended) return null;
      await this.#readers.wait(signal);
    }
  }

  /** In raw mode the rest of a chunk is not echoed; a reader can change the mode after a part of it. */
  async #take(chunk: Buffer): Promise<void> {
    if (this.#raw) {
      this.#lines.push(Buffer.from(chunk.map((byte) => (byte === RETURN ? NEWLINE : byte))));
      return this.#readers.wakeAll();
    }
    for (const byte of chunk) {
      this.#type(byte);
      if (SIGNALS.has(byte)) await this.#show();
    }
    await this.#show();
  }

  #type(byte: number): void {
    const signal = SIGNALS.get(byte);
    if (signal !== undefined) this.#interrupt(byte, signal);
    else if (byte === NEWLINE || byte === RETURN) this.#endLine();
    else if (byte === END_OF_FILE) this.#deliver();
    else if (byte === DELETE || byte === BACKSPACE) this.#erase();
    else if (byte === KILL_LINE) while (this.#line.length > 0) this.#erase();
    else if (byte === ERASE_WORD) this.#eraseWord();
    else if (this.#line.length >= MAX_LINE) this.#echo.push('\x07');
    else {
      this.#line.push(byte);
      this.#echo.push(shown(byte));
    }
  }

  #interrupt(byte: number, signal: SignalName): void {
    this.#echo.push(shown(byte));
    this.#line = [];
    this.#lines = [];
    this.#signal(signal);
  }

  #endLine(): void {
    this.#line.push(NEWLINE);
    this.#echo.push('\r\n');
    this.#deliver();
  }

  #deliver(): void {
    this.#lines.push(Buffer.from(this.#line));
    this.#line = [];
    this.#readers.wakeAll();
  }

  /** Removes a character, which in UTF-8 may be several bytes. */
  #erase(): void {
    let byte = this.#line.pop();
    if (byte === undefined) return;
    const columns = shown(byte).length;
    while (byte !== undefined && (byte & 0xc0) === 0x80) byte = this.#line.pop();
    this.#echo.push('\b \b'.repeat(columns));
  }

  #eraseWord(): void {
    const isBlank = () => [0x20, 0x09].includes(this.#line.at(-1) ?? 0);
    while (this.#line.length > 0 && isBlank()) this.#erase();
    while (this.#line.length > 0 && !isBlank()) this.#erase();
  }

  async #show(): Promise<void> {
    const echo = Buffer.from(this.#echo.join(''), 'latin1');
    this.#echo = [];
    if (echo.length > 0) await this.#screen.write(echo).catch(() => {});
  }
}

/** Control characters are shown as ^X (ECHOCTL), the others unchanged. */
function shown(byte: number): string {
  const isControl = (byte < 0x20 && byte !== 0x09) || byte === DELETE || byte === ESCAPE;
  return isControl ? `^${String.fromCharCode(byte ^ 0x40)}` : String.fromCharCode(byte);
}
