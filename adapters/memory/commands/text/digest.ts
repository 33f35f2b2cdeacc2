import { createHash } from 'node:crypto';
import { allBytes, cantOpen, chunksOf, eachInput, linesOf } from '../kit/input.js';
import { command, type Tool, ToolError } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';

const digest = (algorithm: string) =>
  command({ letters: 'csbtw', long: { check: 'c', status: 's' } }, async (tool) => {
    if (tool.has('c')) return checkAll(tool, algorithm);
    await eachInput(
      tool,
      tool.operands,
      async (path) => tool.print(`${await digestOf(tool, algorithm, path)}  ${path}\n`),
      cantOpen,
    );
    return tool.code;
  });

async function digestOf(tool: Tool, algorithm: string, path: string): Promise<string> {
  const hash = createHash(algorithm);
  for await (const chunk of chunksOf(tool, path)) hash.update(chunk);
  return hash.digest('hex');
}

async function checkAll(tool: Tool, algorithm: string): Promise<number> {
  let wrong = 0;
  let total = 0;
  await eachInput(tool, tool.operands, async (list) => {
    for await (const lines of linesOf(tool, list)) {
      for (const line of lines) {
        const [, expected, path = ''] = /^([0-9a-f]+) [ *](.*)\n?$/.exec(line) ?? [];
        if (expected === undefined) continue;
        total++;
        const isRight = (await digestOf(tool, algorithm, path).catch(() => '')) === expected;
        if (!isRight) wrong++;
        if (!tool.has('s')) await tool.print(`${path}: ${isRight ? 'OK' : 'FAILED'}\n`);
      }
    }
  });
  if (wrong > 0 && !tool.has('s'))
    await tool.complain(`WARNING: ${wrong} of ${total} computed checksums did NOT match`);
  return wrong > 0 || tool.code !== 0 ? 1 : 0;
}

const WRAP = 76;

const base64 = command({ letters: 'dw:', long: { decode: 'd', wrap: 'w' } }, async (tool) => {
  await eachInput(tool, tool.operands.slice(0, 1), async (path) => {
    const bytes = await allBytes(tool, path);
    if (tool.has('d')) {
      if (/[^A-Za-z0-9+/=\s]/.test(bytes)) throw new ToolError('invalid input');
      await tool.print(Buffer.from(bytes, 'base64'));
      return;
    }
    const width = Number(tool.options.value('w') ?? WRAP);
    const text = Buffer.from(bytes, 'latin1').toString('base64');
    const lines = width > 0 ? (text.match(new RegExp(`.{1,${width}}`, 'g')) ?? []) : [text];
    await tool.print(width > 0 ? lines.map((line) => `${line}\n`).join('') : text);
  });
});

const printable = (bytes: string): string => bytes.replace(/[^\x20-\x7e]/g, '.');
const hexOf = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('hex');
const rowsOf = (bytes: string, width: number): string[] =>
  bytes.match(new RegExp(`[\\s\\S]{1,${width}}`, 'g')) ?? [];

const xxd = command('pl:c:s:r', async (tool) => {
  await eachInput(tool, tool.operands.slice(0, 1), async (path) => {
    const all = await allBytes(tool, path);
    if (tool.has('r'))
      return tool.print(Buffer.from(tool.has('p') ? all.replace(/\s/g, '') : plainOf(all), 'hex'));
    const start = Number(tool.options.value('s') ?? 0);
    const bytes = all.slice(start, tool.has('l') ? start + Number(tool.options.value('l')) : undefined);
    const width = Number(tool.options.value('c') ?? (tool.has('p') ? 30 : 16));
    for (const [index, row] of rowsOf(bytes, width).entries()) {
      if (tool.has('p')) await tool.print(`${hexOf(row)}\n`);
      else {
        const pairs = (hexOf(row).match(/.{1,4}/g) ?? []).join(' ');
        const address = (start + index * width).toString(16).padStart(8, '0');
        await tool.print(`${address}: ${pairs.padEnd(width * 2 + width / 2)} ${printable(row)}\n`);
      }
    }
  });
});

/** The hex digits of a dump, without addresses and text. */
const plainOf = (dump: string): string =>
  dump
    .split('\n')
    .map((line) =>
      line
        .replace(/^[^:]*: /, '')
        .replace(/ {2}.*$/, '')
        .replace(/ /g, ''),
    )
    .join('');

const hexdump = command('Cvn:s:', async (tool) => {
  await eachInput(tool, tool.operands, async (path) => {
    const bytes = (await allBytes(tool, path)).slice(
      0,
      Number(tool.options.value('n') ?? Number.POSITIVE_INFINITY),
    );
    for (const [index, row] of rowsOf(bytes, 16).entries()) {
      const pairs = hexOf(row).match(/../g) ?? [];
      const halves = `${pairs.slice(0, 8).join(' ')}  ${pairs.slice(8).join(' ')}`.padEnd(48);
      const address = (index * 16).toString(16).padStart(8, '0');
      if (tool.has('C')) await tool.print(`${address}  ${halves}  |${printable(row)}|\n`);
      else {
        const words = (hexOf(row).match(/.{1,4}/g) ?? []).map((word) =>
          (word.slice(2) + word.slice(0, 2)).padStart(4, '0'),
        );
        await tool.print(`${address.slice(1)} ${words.join(' ').padEnd(39)}\n`);
      }
    }
    await tool.print(`${bytes.length.toString(16).padStart(tool.has('C') ? 8 : 7, '0')}\n`);
  });
});

/** Commands that show bytes as other bytes. */
export const digestCommands: CommandTable = {
  base64,
  hd: hexdump,
  hexdump,
  md5sum: digest('md5'),
  sha1sum: digest('sha1'),
  sha256sum: digest('sha256'),
  sha512sum: digest('sha512'),
  xxd,
};
