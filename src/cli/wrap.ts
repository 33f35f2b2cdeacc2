/** Line width of the scenarios' texts. */
const WIDTH = 120;

/**
 * Wraps a line that starts with a time (` 4.1s …`); continuation lines are indented to its text. A word that is too
 * long stays whole.
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
