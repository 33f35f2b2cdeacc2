import { allBytes, bytesOf, chunksOf, eachInput, linesOf } from '../kit/input.js';
import { command, ToolError, usage } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';

const wc = command('clwmL', async (tool) => {
  const flags = [...'lwcL'].filter((flag) => tool.has(flag) || (flag === 'c' && tool.has('m')));
  const shown = flags.length > 0 ? flags : ['l', 'w', 'c'];
  const total: Record<string, number> = { l: 0, w: 0, c: 0, L: 0 };
  // One number alone needs no columns.
  const isAlone = shown.length === 1 && tool.operands.length < 2;
  const row = (counts: Record<string, number>, name: string) => {
    const numbers = shown.map((flag) => String(counts[flag] ?? 0).padStart(isAlone ? 0 : 9)).join(' ');
    return `${numbers}${name === '-' && tool.operands.length === 0 ? '' : ` ${name}`}\n`;
  };
  await eachInput(tool, tool.operands, async (path) => {
    const counts: Record<string, number> = { l: 0, w: 0, c: 0, L: 0 };
    let isInWord = false;
    for await (const chunk of chunksOf(tool, path)) {
      counts.c = (counts.c ?? 0) + chunk.length;
      for (const byte of chunk) {
        if (byte === 10) counts.l = (counts.l ?? 0) + 1;
        const isBlank = byte === 32 || (byte >= 9 && byte <= 13);
        if (!isBlank && !isInWord) counts.w = (counts.w ?? 0) + 1;
        isInWord = !isBlank;
      }
    }
    if (shown.includes('L')) counts.L = await longestLine(tool, path);
    for (const flag of 'lwc') total[flag] = (total[flag] ?? 0) + (counts[flag] ?? 0);
    total.L = Math.max(total.L ?? 0, counts.L ?? 0);
    await tool.print(row(counts, path));
  });
  if (tool.operands.length > 1) await tool.print(row(total, 'total'));
});

async function longestLine(tool: Parameters<typeof linesOf>[0], path: string): Promise<number> {
  let longest = 0;
  for await (const lines of linesOf(tool, path)) {
    for (const line of lines) longest = Math.max(longest, line.replace(/\n$/, '').length);
  }
  return longest;
}

/** `1,3-5,7-`: pairs of first and last, counted from 1. */
function rangesOf(text: string): readonly (readonly [number, number])[] {
  return text.split(',').map((part) => {
    const match = /^(\d*)(-?)(\d*)$/.exec(part);
    if (!match || part === '' || part === '-') throw new ToolError(`invalid range '${part}'`);
    const [, from = '', dash = '', to = ''] = match;
    const first = from === '' ? 1 : Number(from);
    return [first, dash === '' ? first : to === '' ? Number.POSITIVE_INFINITY : Number(to)] as const;
  });
}

const cut = command('b:c:f:d:sn', async (tool) => {
  const list = tool.options.value('b') ?? tool.options.value('c') ?? tool.options.value('f');
  if (list === undefined) throw usage('expected a list of bytes, characters, or fields');
  const ranges = rangesOf(list);
  const isChosen = (_: string, index: number) =>
    ranges.some(([from, to]) => index + 1 >= from && index + 1 <= to);
  const delimiter = bytesOf(tool.options.value('d') ?? '\t');
  const pick = (line: string): string | undefined => {
    if (!tool.has('f')) return [...line].filter(isChosen).join('');
    if (!line.includes(delimiter)) return tool.has('s') ? undefined : line;
    return line.split(delimiter).filter(isChosen).join(delimiter);
  };
  await eachInput(tool, tool.operands, async (path) => {
    for await (const lines of linesOf(tool, path)) {
      for (const line of lines) {
        const picked = pick(line.replace(/\n$/, ''));
        if (picked !== undefined) await tool.printBytes(`${picked}\n`);
      }
    }
  });
});

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

const rev = command('', async (tool) => {
  await eachInput(tool, tool.operands, async (path) => {
    for await (const lines of linesOf(tool, path)) {
      for (const line of lines) {
        const bare = line.replace(/\n$/, '');
        await tool.printBytes([...bare].reverse().join('') + line.slice(bare.length));
      }
    }
  });
});

const tac = command('', async (tool) => {
  await eachInput(tool, tool.operands, async (path) => {
    const lines = (await allBytes(tool, path)).split(/(?<=\n)/).filter((line) => line !== '');
    await tool.printBytes(lines.reverse().join(''));
  });
});

const nl = command('b:v:i:s:w:n:', async (tool) => {
  const width = Number(tool.options.value('w') ?? 6);
  const glue = bytesOf(tool.options.value('s') ?? '\t');
  const countsAll = tool.options.value('b') === 'a';
  let number = Number(tool.options.value('v') ?? 1);
  await eachInput(tool, tool.operands, async (path) => {
    for await (const lines of linesOf(tool, path)) {
      for (const line of lines) {
        const bare = line.replace(/\n$/, '');
        const isCounted = countsAll || bare !== '';
        const label = isCounted
          ? `${String(number).padStart(width)}${glue}`
          : ' '.repeat(width + glue.length);
        if (isCounted) number += Number(tool.options.value('i') ?? 1);
        await tool.printBytes(`${label}${bare}\n`);
      }
    }
  });
});

/** Commands that count, cut and turn lines. */
export const cutCommands: CommandTable = { wc, cut, tr, rev, tac, nl };
