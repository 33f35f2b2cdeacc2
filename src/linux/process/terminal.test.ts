import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import { createPipe, type Pipe } from './pipe.js';
import type { SignalName } from './process.js';
import { createTerminal, type OpenTerminal } from './terminal.js';

interface Session extends OpenTerminal {
  readonly keys: Pipe;
  readonly signals: SignalName[];
  /** Types, and resolves with what the screen shows then. */
  type(text: string): Promise<string>;
  /** The next line as a process reads it; "EOF" for an end of file, undefined if there is nothing yet. */
  read(): Promise<string | undefined>;
}

function session(): Session {
  const clock = createVirtualClock();
  const keys = createPipe(clock);
  const shown: Buffer[] = [];
  const stdout = { write: async (chunk: Buffer) => void shown.push(chunk), end: () => {} };
  const opened = createTerminal({ clock, stdin: keys, stdout });
  const signals: SignalName[] = [];
  opened.terminal.foreground = { id: 7, signal: (signal) => void signals.push(signal) };
  return {
    ...opened,
    keys,
    signals,
    type: async (text) => {
      shown.length = 0;
      await keys.write(Buffer.from(text));
      await clock.settle();
      return Buffer.concat(shown).toString();
    },
    read: async () => {
      const abort = new AbortController();
      const line = opened.stdin.read(abort.signal).then(
        (chunk) => (chunk === null ? 'EOF' : chunk.toString()),
        () => undefined,
      );
      await clock.settle();
      abort.abort();
      return line;
    },
  };
}

describe('terminal', () => {
  it('echoes what is typed and hands it over by the line', async () => {
    const terminal = session();
    expect(await terminal.type('ls')).toBe('ls');
    expect(await terminal.read()).toBeUndefined();
    expect(await terminal.type(' -l\r')).toBe(' -l\r\n');
    expect(await terminal.read()).toBe('ls -l\n');
    expect(await terminal.read()).toBeUndefined();
  });

  it.each([
    ['backspace', 'lx\x7fs\r', 'ls\n', 'lx\b \bs\r\n'],
    ['backspace at the beginning', '\x7f\x08a\r', 'a\n', 'a\r\n'],
    ['a character of two bytes', 'é\x7fe\r', 'e\n', 'é\b \be\r\n'],
    ['a control character', '\x01\x7fa\r', 'a\n', '^A\b \b\b \ba\r\n'],
    ['Ctrl-U', 'abc\x15d\r', 'd\n', 'abc\b \b\b \b\b \bd\r\n'],
    ['Ctrl-W', 'ab cd \x17e\r', 'ab e\n', 'ab cd \b \b\b \b\b \be\r\n'],
    ['an arrow key', '\x1b[A\r', '\x1b[A\n', '^[[A\r\n'],
  ])('edits with %s', async (_, typed, line, screen) => {
    const terminal = session();
    expect(await terminal.type(typed)).toBe(screen);
    expect(await terminal.read()).toBe(line);
  });

  it('ends the input at Ctrl-D on an empty line, and only there', async () => {
    const terminal = session();
    await terminal.type('ab\x04');
    expect(await terminal.read()).toBe('ab');
    await terminal.type('\x04');
    expect(await terminal.read()).toBe('EOF');
    await terminal.type('c\r');
    expect(await terminal.read()).toBe('c\n');
  });

  it('signals the foreground and forgets the line', async () => {
    const terminal = session();
    expect(await terminal.type('abc\x03')).toBe('abc^C');
    await terminal.type('\x1c\x1ad\r');
    expect(terminal.signals).toEqual(['INT', 'QUIT', 'TSTP']);
    expect(await terminal.read()).toBe('d\n');
  });

  it('starts output lines at the left', async () => {
    const terminal = session();
    const shown = terminal.type('');
    await terminal.stdout.write(Buffer.from('a\nb\n'));
    expect(await shown).toBe('a\r\nb\r\n');
  });

  it('passes keys on as they come in raw mode, without echo and signals', async () => {
    const terminal = session();
    await terminal.type('ahead');
    terminal.terminal.raw = true;
    expect(await terminal.read()).toBe('ahead');
    expect(await terminal.type('a\x7f\x03\x04\x1b[A\r')).toBe('');
    expect(await terminal.read()).toBe('a\x7f\x03\x04\x1b[A\n');
    expect(terminal.signals).toEqual([]);
    await terminal.type('unread');
    terminal.terminal.raw = false;
    expect(await terminal.read()).toBe('unread');
    expect(await terminal.type('line\r')).toBe('line\r\n');
  });

  it('takes lines of 4095 bytes at most', async () => {
    const terminal = session();
    expect(await terminal.type('x'.repeat(4100))).toBe(`${'x'.repeat(4095)}${'\x07'.repeat(5)}`);
    await terminal.type('\r');
    expect((await terminal.read())?.length).toBe(4096);
  });

  it('is at its end when the client is gone', async () => {
    const terminal = session();
    await terminal.type('ab');
    terminal.keys.end();
    expect(await terminal.read()).toBe('ab');
    expect(await terminal.read()).toBe('EOF');
    expect(await terminal.read()).toBe('EOF');
  });

  it('reports another size', () => {
    const terminal = session();
    expect(terminal.terminal.size()).toEqual({ width: 80, height: 24 });
    terminal.resize({ width: 132, height: 43 });
    expect(terminal.terminal.size()).toEqual({ width: 132, height: 43 });
    expect(terminal.signals).toEqual(['WINCH']);
  });
});
