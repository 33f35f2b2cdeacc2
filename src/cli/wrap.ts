/** As wide as the stories of scenarios are written. */
const WIDTH = 120;

/**
 * Breaks a line that begins with a time (`    4.1s  …`) between words; what goes on stands under its text. A word that
 * is too long stays whole.
 */
export function wrapTimed(line: string, width = WIDTH): string {
  const [head = ''] = /^\s*\S+ {2}/.exec(line) ?? [];
  const lines: string[] = [];
  let current = head;
  for (const word of line.slice(head.length).split(' ')) {
    const isFirst = current === head;
    if (!isFirst && current.length + 1 + word.length > width) {
      lines.push(current);
      current = ' '.repeat(head.length) + word;
    } else {
      current += isFirst ? word : ` ${word}`;
    }
  }
  return [...lines, current].join('\n');
}
