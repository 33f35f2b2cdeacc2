import type { FileHandle } from 'node:fs/promises';

const BLOCK = 64 * 1024;
const NEWLINE = 0x0a;

/**
 * Start of the last `lines` lines; 0 if there are fewer. Ignores an incomplete line (tail.go findTailLineStartIndex).
 */
export async function startOfTail(file: FileHandle, lines: number): Promise<number> {
  const block = Buffer.alloc(BLOCK);
  let left = lines;
  for (let { size: end } = await file.stat(); end > 0; end -= BLOCK) {
    const begin = Math.max(0, end - BLOCK);
    const { bytesRead } = await file.read(block, 0, end - begin, begin);
    let at = block.subarray(0, bytesRead).lastIndexOf(NEWLINE);
    while (at >= 0) {
      if (left-- === 0) return begin + at + 1;
      at = at === 0 ? -1 : block.lastIndexOf(NEWLINE, at - 1);
    }
  }
  return 0;
}
