import { describe, expect, it } from 'vitest';
import { createScreen } from '../../../../test/support/linux/terminal-screen.js';
import { LineEditor } from './line-editor.js';

const [UP, DOWN, RIGHT, LEFT] = ['\x1b[A', '\x1b[B', '\x1b[C', '\x1b[D'];
const [HOME, END, DELETE, BACKSPACE] = ['\x1b[H', '\x1b[F', '\x1b[3~', '\x7f'];

/** A person at a terminal of 20 columns. */
function sit(history: string[] = [], width = 20) {
  const screen = createScreen(width);
  let editor = new LineEditor(history, () => width);
  screen.write(editor.start('/ # '));
  return {
    screen,
    /** What the terminal shows, with | at the cursor. */
    type: (text: string | Buffer): string => {
      screen.write(editor.type(Buffer.from(text)).output);
      return screen.text();
    },
    /** The line as the shell gets it. */
    enter: (text: string): string => {
      const { output, end } = editor.type(Buffer.from(`${text}\r`));
      screen.write(output);
      expect(end).toBe('line');
      const line = editor.text;
      editor = new LineEditor(history, () => width);
      screen.write(editor.start('/ # '));
      return line;
    },
  };
}

describe('keys', () => {
  it.each([
    ['characters', 'ls -l', '/ # ls -l|'],
    ['left and right', `ac${LEFT}b${RIGHT}d`, '/ # abcd|'],
    ['left and right at the ends', `${LEFT}a${LEFT}${LEFT}b${RIGHT}${RIGHT}${RIGHT}c`, '/ # bac|'],
    ['arrows of the application mode', 'ac\x1bODb\x1bOCd', '/ # abcd|'],
    ['Ctrl-B and Ctrl-F', 'ac\x02b\x06d', '/ # abcd|'],
    ['home and end', `bc${HOME}a${END}d`, '/ # abcd|'],
    ['home and end of other terminals', 'bc\x1b[1~a\x1b[4~d\x1bOHx\x1bOFy', '/ # xabcdy|'],
    ['Ctrl-A and Ctrl-E', 'bc\x01a\x05d', '/ # abcd|'],
    ['backspace', `ab${BACKSPACE}c`, '/ # ac|'],
    ['backspace in the middle', `abxc${LEFT}${BACKSPACE}`, '/ # ab|c'],
    ['backspace at the beginning', `${BACKSPACE}a${HOME}\x08`, '/ # |a'],
    ['delete', `abc${HOME}${DELETE}`, '/ # |bc'],
    ['delete at the end', `abc${DELETE}`, '/ # abc|'],
    ['Ctrl-D in a line', 'abc\x01\x04', '/ # |bc'],
    ['Ctrl-U', `abc${LEFT}\x15`, '/ # |c'],
    ['Ctrl-K', `abc${LEFT}\x0b`, '/ # ab|'],
    ['Ctrl-W', 'ab cd  \x17', '/ # ab |'],
    ['Ctrl-W in the middle', `ab cd ef${LEFT}${LEFT}\x17`, '/ # ab |ef'],
    ['words', 'ab cd ef\x1b[1;5D\x1bbx\x1bfy\x1b[1;5Cz', '/ # ab xcdy efz|'],
    ['characters of several bytes', `aé€😀${LEFT}${BACKSPACE}b`, '/ # aéb|😀'],
    ['keys that do nothing', 'a\x1b[15~\x1b[99;99R\x00\x1fb', '/ # ab|'],
    ['Ctrl-L', 'old\x0c', '/ # old|'],
  ])('%s', (_, typed, shown) => {
    expect(sit().type(typed)).toBe(shown);
  });

  it('can arrive byte by byte', () => {
    const { type } = sit();
    let shown = '';
    for (const byte of Buffer.from(`aé${LEFT}b${UP}${DOWN}`)) shown = type(Buffer.of(byte));
    expect(shown).toBe('/ # ab|é');
  });

  it('keeps bytes that are not UTF-8', () => {
    const editor = new LineEditor([], () => 80);
    editor.type(Buffer.of(0x61, 0xff, 0xc3, 0x62, 0x80, 0x63));
    expect([...editor.text].map((char) => char.charCodeAt(0))).toEqual([
      0x61, 0xdcff, 0xdcc3, 0x62, 0xdc80, 0x63,
    ]);
  });

  it('ring the bell where nothing can happen', () => {
    const editor = new LineEditor([], () => 80);
    expect(editor.type(Buffer.from(`${UP}${DOWN}\t`)).output).toBe('\x07\x07\x07');
    editor.type(Buffer.from('x'.repeat(5000)));
    expect(editor.text).toHaveLength(4095);
  });
});

describe('the end of a line', () => {
  it('is Return, wherever the cursor is', () => {
    const { enter, screen } = sit();
    expect(enter(`echo ab${LEFT}${LEFT}`)).toBe('echo ab');
    expect(screen.text()).toBe('/ # echo ab\n/ # |');
  });

  it.each([
    ['Ctrl-C', 'ab\x03rest', 'interrupt', 3],
    ['Ctrl-D on an empty line', '\x04rest', 'end', 1],
    ['Return', 'ab\rrest', 'line', 3],
  ])('is %s, and leaves the rest of the input', (_, typed, end, taken) => {
    expect(new LineEditor([], () => 80).type(Buffer.from(typed))).toMatchObject({ end, taken });
  });
});

describe('the history', () => {
  it('shows earlier lines and comes back to the new one', () => {
    const { type, enter } = sit(['first', 'second line']);
    expect(type(`new${UP}`)).toBe('/ # second line|');
    expect(type(UP)).toBe('/ # first|');
    expect(type(UP)).toBe('/ # first|');
    expect(type(DOWN)).toBe('/ # second line|');
    expect(type('\x0e')).toBe('/ # new|');
    expect(type('\x10')).toBe('/ # second line|');
    expect(enter('!')).toBe('second line!');
  });

  it('keeps each line once in a row, and no empty ones', () => {
    const history: string[] = [];
    const { enter } = sit(history);
    for (const line of ['a', 'a', '', 'b', 'a']) enter(line);
    expect(history).toEqual(['a', 'b', 'a']);
    for (let count = 0; count < 300; count++) enter(`line ${count}`);
    expect([history.length, history[0]]).toEqual([255, 'line 45']);
  });

  it('forgets edits of old lines with the next line', () => {
    const history = ['old'];
    const { enter, type } = sit(history);
    expect(enter(`${UP}er${DOWN}new`)).toBe('new');
    expect(type(`${UP}${UP}`)).toBe('/ # new\n/ # old|');
  });
});

describe('a line of several rows', () => {
  const sixteen = 'abcdefghijklmnop';

  it('wraps at the margin', () => {
    const { type } = sit();
    expect(type(sixteen)).toBe(`/ # ${sixteen}\n|`);
    expect(type('q')).toBe(`/ # ${sixteen}\nq|`);
    expect(type(`${BACKSPACE}${BACKSPACE}`)).toBe('/ # abcdefghijklmno|');
  });

  it('is edited across rows', () => {
    const { type } = sit();
    type(`${sixteen}qrstuvwxyz0123456789`);
    expect(type(`${HOME}X`)).toBe('/ # X|abcdefghijklmno\npqrstuvwxyz012345678\n9');
    expect(type(`${BACKSPACE}${END}`)).toBe('/ # abcdefghijklmnop\nqrstuvwxyz0123456789\n|');
    expect(type('\x15')).toBe('/ # |');
  });

  it('gives way to a shorter one of the history', () => {
    const { type } = sit(['short']);
    expect(type(`${sixteen}qrs${LEFT.repeat(5)}${UP}`)).toBe('/ # short|');
  });
});
