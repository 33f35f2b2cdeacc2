import { bytesOf, chunksOf } from '../kit/input.js';
import { command, usage } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';

const CLASSES: Readonly<Record<string, string>> = {
  lower: 'a-z',
  upper: 'A-Z',
  alpha: 'A-Za-z',
  digit: '0-9',
  alnum: '0-9A-Za-z',
  space: '\t\n\v\f\r ',
  blank: '\t ',
  punct: '!-/:-@[-`{-~',
  xdigit: '0-9A-Fa-f',
  cntrl: '\x00-\x1f\x7f',
};
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
  '\\': '\\',
};

/** The characters of a set such as `a-z[:space:]\n`. */
function setOf(text: string): string {
  const plain = bytesOf(text)
    .replace(/\[:(\w+):\]/g, (_, name: string) => CLASSES[name] ?? '')
    .replace(/\\([0-7]{1,3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8) & 255))
    .replace(/\\([ntrabfv\\])/g, (_, letter: string) => ESCAPES[letter] ?? letter);
  return plain.replace(/(.)-(.)/gs, (_, from: string, to: string) => {
    const [first, last] = [from.charCodeAt(0), to.charCodeAt(0)];
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) =>
      String.fromCharCode(first + index),
    ).join('');
  });
}

interface Translation {
  readonly map: Uint8Array;
  readonly deleted: Uint8Array;
  readonly squeezed: Uint8Array;
  /** The byte that was printed last. */
  previous: number;
}

/** A separate function, because V8 doesn't optimize a loop in an async function. */
function translate(chunk: Buffer, translation: Translation): Buffer {
  const { map, deleted, squeezed } = translation;
  const result = Buffer.allocUnsafe(chunk.length);
  let { previous } = translation;
  let length = 0;
  for (let index = 0; index < chunk.length; index++) {
    const byte = chunk[index] as number;
    const replaced = map[byte] as number;
    if (deleted[byte] === 1 || (squeezed[replaced] === 1 && previous === replaced)) continue;
    previous = replaced;
    result[length++] = replaced;
  }
  translation.previous = previous;
  return result.subarray(0, length);
}

const marked = (set: string): Uint8Array => {
  const flags = new Uint8Array(256);
  for (const char of set) flags[char.charCodeAt(0)] = 1;
  return flags;
};

const tr = command('cCds', async (tool) => {
  const [first, second = ''] = tool.operands;
  if (first === undefined) throw usage('missing set');
  const isComplement = tool.has('c') || tool.has('C');
  const given = setOf(first);
  const all = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));
  const set = isComplement ? all.filter((char) => !given.includes(char)).join('') : given;
  const target = setOf(second);
  const last = target.at(-1) ?? '';
  const isDeleting = tool.has('d');
  const map = Uint8Array.from(all.keys());
  if (!isDeleting && second !== '')
    for (const [index, char] of [...set].entries())
      map[char.charCodeAt(0)] = (target[index] ?? last).charCodeAt(0);
  const deleted = marked(isDeleting ? set : '');
  const squeezed = marked(tool.has('s') ? target || set : '');
  const translation: Translation = { map, deleted, squeezed, previous: -1 };
  for await (const chunk of chunksOf(tool, '-')) await tool.print(translate(chunk, translation));
});

export const trCommands: CommandTable = { tr };
