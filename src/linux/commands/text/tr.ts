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

const tr = command('cCds', async (tool) => {
  const [first, second = ''] = tool.operands;
  if (first === undefined) throw usage('missing set');
  const isComplement = tool.has('c') || tool.has('C');
  const given = setOf(first);
  const all = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));
  const set = isComplement ? all.filter((char) => !given.includes(char)).join('') : given;
  const target = setOf(second);
  const last = target.at(-1) ?? '';
  const map = new Map(
    tool.has('d') ? [] : [...set].map((char, index) => [char, target[index] ?? last] as const),
  );
  const deleted = new Set(tool.has('d') ? set : '');
  const squeezed = new Set(tool.has('s') ? target || set : '');
  let previous = '';
  for await (const chunk of chunksOf(tool, '-')) {
    let result = '';
    for (const char of chunk.toString('latin1')) {
      if (deleted.has(char)) continue;
      const replaced = second === '' ? char : (map.get(char) ?? char);
      if (squeezed.has(replaced) && previous === replaced) continue;
      previous = replaced;
      result += replaced;
    }
    await tool.printBytes(result);
  }
});

/** busybox's tr. */
export const trCommands: CommandTable = { tr };
