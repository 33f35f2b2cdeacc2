import { simpleEscapes } from '../../shell/syntax/escapes.js';
import { bytesOf, chunksOf } from '../kit/input.js';
import { command, type Tool, usage } from '../kit/tool.js';
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

/** Characters of a set, after ranges are written out. */
const LONGEST_SET = 64 * 1024;
/** Memory of a character of a set while the tables are made. */
const CHARACTER_COST = 16;

/** The characters of a set such as `a-z[:space:]\n`, which the process pays for. */
function setOf(tool: Tool, text: string): string {
  let size = text.length;
  const pay = (characters: number) => {
    size += characters;
    if (size > LONGEST_SET) throw usage('the set is too long');
    tool.process.allocate(CHARACTER_COST * characters);
  };
  pay(0);
  const plain = bytesOf(text)
    .replace(/\[:(\w+):\]/g, (_, name: string) => CLASSES[name] ?? '')
    .replace(/\\([0-7]{1,3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8) & 255))
    .replace(/\\([ntrabfv\\])/g, (_, letter: string) => simpleEscapes[letter] ?? letter);
  return plain.replace(/(.)-(.)/gs, (_, from: string, to: string) => {
    const first = from.charCodeAt(0);
    const length = Math.max(0, to.charCodeAt(0) - first + 1);
    pay(length);
    return Array.from({ length }, (_, index) => String.fromCharCode(first + index)).join('');
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
  const given = setOf(tool, first);
  const all = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));
  const set = isComplement ? all.filter((char) => !given.includes(char)).join('') : given;
  const target = setOf(tool, second);
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
