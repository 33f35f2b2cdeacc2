import { wrapText } from '../../../base/input/wrap.js';

/** What a scenario file says about itself. */
export interface Story {
  readonly title: string;
  readonly see?: string | undefined;
  readonly why?: string | undefined;
  readonly fix?: string | undefined;
}

/**
 * The story in lines of at most `width` characters: what is seen, why, what helps. Leaves out what the file does not
 * say.
 */
export function storyLines({ title, see, why, fix }: Story, width: number): string[] {
  const parts = [part('What you see', see, width), part('Why', why, width), part('What helps', fix, width)];
  const lines = [...(title === '' ? [] : [title, '']), ...parts.flat()];
  return lines;
}

function part(heading: string, text: string | undefined, width: number): string[] {
  if (text === undefined || text.trim() === '') return [];
  const paragraphs = text.trimEnd().split(/\n\s*\n/);
  const wrapped = paragraphs.map((paragraph) => wrapParagraph(paragraph, width));
  return [`${heading}:`, ...wrapped.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines])), ''];
}

const INDENT = '  ';

/** Lines that are a list or are indented stay lines; others are joined and wrapped again. */
function wrapParagraph(paragraph: string, width: number): string[] {
  const lines = paragraph.split('\n');
  const isText = lines.every((line) => /^[^\s*-]/.test(line));
  return (isText ? [lines.join(' ')] : lines).flatMap((line) => wrapText(INDENT + line, INDENT, width));
}
