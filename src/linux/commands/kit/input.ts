import { eachOperand, type Tool } from './tool.js';

const CHUNK = 64 * 1024;

/** The bytes of a file, or of standard input for `-`, as they come; what was printed before goes out first. */
export async function* chunksOf(tool: Tool, path: string): AsyncGenerator<Buffer> {
  const { stdin, fs } = tool.process;
  if (path === '-') {
    await tool.flush();
    for (let chunk = await stdin.read(); chunk !== null; chunk = await stdin.read()) {
      yield chunk;
      await tool.flush();
    }
    return;
  }
  const file = await fs.open(path, 'r');
  try {
    for (let chunk = await file.read(CHUNK); chunk.length > 0; chunk = await file.read(CHUNK)) yield chunk;
  } finally {
    await file.close();
  }
}

/**
 * Lines in which every character is a byte, as many at once as have come. They keep their newline, so that one sees
 * whether the last has one.
 */
export async function* linesOf(tool: Tool, path: string): AsyncGenerator<readonly string[]> {
  let rest = '';
  for await (const chunk of chunksOf(tool, path)) {
    const lines = (rest + chunk.toString('latin1')).split(/(?<=\n)/);
    const last = lines.at(-1) ?? '';
    rest = last.endsWith('\n') ? '' : (lines.pop() ?? '');
    if (lines.length > 0) yield lines;
  }
  if (rest !== '') yield [rest];
}

/** The lines of a file or of standard input, one by one, without their newlines. */
export async function* bareLinesOf(tool: Tool, path: string): AsyncGenerator<string> {
  for await (const lines of linesOf(tool, path)) for (const line of lines) yield line.replace(/\n$/, '');
}

/** All of a file or of standard input, each character a byte. */
export async function allBytes(tool: Tool, path: string): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of chunksOf(tool, path)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('latin1');
}

/** Text as bytes, each a character: what patterns and words of the command line are compared with. */
export const bytesOf = (text: string): string => Buffer.from(text).toString('latin1');

/** Runs a step for every file that is named, or for standard input if none is. */
export async function eachInput(
  tool: Tool,
  paths: readonly string[],
  step: (path: string) => Promise<void>,
  tell?: (path: string, problem: string) => string,
): Promise<void> {
  await eachOperand(tool, paths.length === 0 ? ['-'] : paths, step, tell);
}

/** How most of busybox tells that a file can't be read. */
export const cantOpen = (path: string, problem: string): string => `can't open '${path}': ${problem}`;
