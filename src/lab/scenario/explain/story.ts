import { wrapText } from '../../../base/input/wrap.js';

export interface Story {
  readonly title: string;
  readonly see?: string | undefined;
  readonly why?: string | undefined;
  readonly fix?: string | undefined;
}

/** Wraps the story at `width` characters: symptom, cause, remedy. Skips missing parts. */
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

function wrapParagraph(paragraph: string, width: number): string[] {
  const lines = paragraph.split('\n');
  const isText = lines.every((line) => /^[^\s*-]/.test(line));
  return (isText ? [lines.join(' ')] : lines).flatMap((line) => wrapText(INDENT + line, INDENT, width));
}
