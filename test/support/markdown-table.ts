const lengthOf = (text: string): number => [...text].length;

/** A Markdown table with columns of equal width, in the formatter's style. The first row is the head. */
export function table(rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows;
  const cellOf = (row: readonly string[], column: number) => row[column] ?? '';
  const widths = head.map((_, column) => Math.max(3, ...rows.map((row) => lengthOf(cellOf(row, column)))));
  const line = (row: readonly string[]) =>
    `| ${widths.map((width, column) => cellOf(row, column) + ' '.repeat(width - lengthOf(cellOf(row, column)))).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}
