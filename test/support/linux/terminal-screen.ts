/** A terminal's screen that grows downwards: rows of characters, and a cursor. */
export interface Screen {
  /** Shows bytes that a program wrote, after the terminal's own translation or before (`\n` begins a row). */
  write(text: string): void;
  /** The rows without blanks at their ends, `|` at the cursor. */
  text(): string;
}

/** Sequences and characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a sequence begins with ESC.
const PARTS = /\x1b\[(\d*)([A-Z])|([\s\S])/gu;

/** Understands what line editors send: `\b`, `\r`, `\n`, bells, and the sequences A, B, C, H and J of ECMA-48. */
export function createScreen(width: number): Screen {
  let rows: string[][] = [[]];
  let [row, column] = [0, 0];
  const put = (char: string) => {
    // The cursor stays behind the last column until the next character.
    if (column === width) newRow();
    const line = rows[row] as string[];
    while (line.length < column) line.push(' ');
    line[column++] = char;
  };
  const newRow = () => {
    row++;
    column = 0;
    while (rows.length <= row) rows.push([]);
  };
  const controls: Readonly<Record<string, () => void>> = {
    '\b': () => {
      column = Math.max(0, Math.min(column, width - 1) - 1);
    },
    '\r': () => {
      column = 0;
    },
    '\n': newRow,
    '\x07': () => {},
  };
  const sequences: Readonly<Record<string, (count: number) => void>> = {
    A: (count) => {
      row -= count;
    },
    B: (count) => {
      row += count;
    },
    C: (count) => {
      column += count;
    },
    H: () => {
      [row, column] = [0, 0];
    },
    J: () => {
      rows = [...rows.slice(0, row), (rows[row] ?? []).slice(0, column)];
    },
  };
  const write = (text: string) => {
    for (const [, count, final, char = ''] of text.matchAll(PARTS)) {
      const sequence = final && sequences[final];
      if (sequence) sequence(Number(count || 1));
      else if (final !== undefined) throw new Error(`unknown sequence ${final}`);
      else (controls[char] ?? (() => put(char)))();
      if (row < 0 || row >= rows.length || column > width)
        throw new Error(`off the screen: ${row},${column}`);
    }
  };
  const text = () =>
    rows
      .map((line, index) => {
        const shown = line.join('').trimEnd();
        if (index !== row) return shown;
        const cells = Array.from({ length: Math.max(line.length, column) }, (_, at) => line[at] ?? ' ');
        cells.splice(column, 0, '|');
        return cells.join('').trimEnd();
      })
      .join('\n');
  return { write, text };
}
