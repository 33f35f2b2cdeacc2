/** Wraps a text at `width` characters; all lines but the first begin with `indent`. A longer word stays whole. */
export function wrapText(text: string, indent: string, width: number): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of text.match(/^\s*\S*|\S+/g) ?? []) {
    if (current !== '' && current.length + 1 + word.length > width) {
      lines.push(current);
      current = indent + word;
    } else {
      current = current === '' ? word : `${current} ${word}`;
    }
  }
  return [...lines, current];
}

/** Wraps a line that begins with a time (`    4.1s  …`): the text continues below its beginning. */
export function wrapTimed(line: string, width: number): string {
  const [head = ''] = /^\s*\S+ {2}/.exec(line) ?? [];
  const [first = '', ...more] = wrapText(line.slice(head.length), '', width - head.length);
  return [head + first, ...more.map((part) => ' '.repeat(head.length) + part)].join('\n');
}
