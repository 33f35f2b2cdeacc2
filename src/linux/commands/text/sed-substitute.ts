import { costOfText } from '../../process/memory.js';
import type { Process } from '../../process/process.js';
import { matchesIn, type TextPattern } from './regex.js';
import type { Substitution } from './sed-script.js';

/** Undefined if it replaced nothing. */
export async function substitute(
  process: Process,
  text: string,
  pattern: TextPattern,
  { replacement, isGlobal, nth }: Substitution,
): Promise<string | undefined> {
  const parts: string[] = [];
  let [count, copied, size] = [0, 0, 0];
  for await (const { start, end, groups } of matchesIn(process, pattern, text)) {
    if (++count < nth) continue;
    const part = text.slice(copied, start) + expand(replacement, groups);
    const cost = costOfText(part);
    process.allocate(cost);
    size += cost;
    parts.push(part);
    copied = end;
    if (!isGlobal) break;
  }
  process.allocate(-size);
  return parts.length > 0 ? parts.join('') + text.slice(copied) : undefined;
}

/** `&`, `\1` to `\9`, `\n` and escaped characters of a replacement. */
function expand(replacement: string, groups: readonly (string | undefined)[]): string {
  return replacement.replace(/\\([\s\S])|&/g, (text, char: string | undefined) => {
    if (char === undefined) return groups[0] ?? text;
    if (/\d/.test(char)) return groups[Number(char)] ?? '';
    return char === 'n' ? '\n' : char === 't' ? '\t' : char;
  });
}
