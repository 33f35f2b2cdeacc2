/** An entry of the playground: a file's content, or another kind of entry. */
export type Entry =
  | string
  | { readonly link: string }
  | { readonly dir: true; readonly mode?: number }
  | { readonly text: string; readonly mode: number };

/** Commands that run one after the other in a new playground. */
export interface Case {
  readonly steps: readonly Step[];
}

export interface Step {
  readonly argv: readonly string[];
  readonly stdin: string;
}

/** Result of a case: the output of each step, and the changes to the playground. Each character is one byte. */
export interface Outcome {
  readonly steps: readonly { readonly stdout: string; readonly stderr: string; readonly code: number }[];
  /** One line per changed path; null if it was removed. */
  readonly changes: Readonly<Record<string, string | null>>;
}

export const PLAYGROUND: Readonly<Record<string, Entry>> = {
  'a.txt': 'banana\napple\ncherry\napple\n',
  'b.txt': 'one two three\nfour five six\n',
  'c.txt': 'banana\napple pie\ncherry\n',
  'num.txt': '10\n9\n2\n33\n1\n-4\n',
  'table.txt': 'carol:30:x\nalice:5:y\nbob:100:x\n',
  'nonl.txt': 'first\nno newline',
  'wide.txt': 'tab\there\ncaf\u00e9 ol\u00e9\n',
  empty: '',
  '.hidden': 'h\n',
  'script.sh': { text: '#!/bin/sh\necho hi\n', mode: 0o755 },
  dir: { dir: true },
  'dir/x.txt': 'x\n',
  'dir/sub': { dir: true },
  'dir/sub/y.txt': 'yy\n',
  hollow: { dir: true },
  link: { link: 'a.txt' },
  dlink: { link: 'dir' },
  dangling: { link: 'nowhere' },
};

/** Steps as text, with `'…'` around arguments with spaces; the input of a step follows ` <<< `. */
export function steps(...lines: readonly string[]): Case {
  return {
    steps: lines.map((line) => {
      const [words = '', stdin = ''] = line.split(' <<< ');
      const argv = [...words.matchAll(/(?:'([^']*)')|([^\s']+)/g)].map((match) => match[1] ?? match[2] ?? '');
      return { argv, stdin };
    }),
  };
}

/** Changes between two snapshots of the playground. */
export function changesOf(
  before: Record<string, string>,
  after: Record<string, string>,
): Record<string, string | null> {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  const changed = paths.filter((path) => before[path] !== after[path]);
  return Object.fromEntries(changed.map((path) => [path, after[path] ?? null]));
}

/** One case per line. */
export const one = (...lines: readonly string[]): Readonly<Record<string, Case>> =>
  Object.fromEntries(lines.map((line) => [line, steps(line)]));
