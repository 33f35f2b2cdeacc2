import { createHash } from 'node:crypto';
import { bareLinesOf, cantOpen, chunksOf, eachInput } from '../kit/input.js';
import { command, type Tool } from '../kit/tool.js';
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
    for await (const line of bareLinesOf(tool, list)) {
      const [, expected, path = ''] = /^([0-9a-f]+) [ *](.*)$/.exec(line) ?? [];
      if (expected === undefined) continue;
      total++;
      const isRight = (await digestOf(tool, algorithm, path).catch(() => '')) === expected;
      if (!isRight) wrong++;
      if (!tool.has('s')) await tool.print(`${path}: ${isRight ? 'OK' : 'FAILED'}\n`);
    }
  });
  if (wrong > 0 && !tool.has('s'))
    await tool.complain(`WARNING: ${wrong} of ${total} computed checksums did NOT match`);
  return wrong > 0 || tool.code !== 0 ? 1 : 0;
}

/** coreutils' output; -c checks a list. */
export const digestCommands: CommandTable = {
  md5sum: digest('md5'),
  sha1sum: digest('sha1'),
  sha256sum: digest('sha256'),
  sha512sum: digest('sha512'),
};
