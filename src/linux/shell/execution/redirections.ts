import { costOfText } from '../../process/memory.js';
import { expandText } from '../expansion/expand.js';
import { absolute } from '../expansion/glob.js';
import type { Redirection } from '../syntax/ast.js';
import { toBytes } from '../text.js';
import { CommandError, ShellError } from './control-flow.js';
import { openFile, sourceOfBytes } from './files.js';
import { OpenFile } from './open-file.js';
import type { Shell } from './shell.js';

/** Runs the body with the redirections. Throws CommandError when one fails. */
export async function redirected<T>(
  shell: Shell,
  redirections: readonly Redirection[],
  body: () => Promise<T>,
): Promise<T> {
  if (redirections.length === 0) return body();
  const before = shell.files;
  shell.files = before.clone();
  const own = shell.files;
  try {
    for (const redirection of redirections) await redirect(shell, redirection);
    return await body();
  } finally {
    shell.files = before;
    own.closeAll();
  }
}

/** Makes one permanent redirection (`exec 3>file`). */
export async function redirect(shell: Shell, { operator, fd, target }: Redirection): Promise<void> {
  const { files } = shell;
  const text = await expandText(shell, target);
  switch (operator) {
    case '<<':
      return files.set(fd, textFile(shell, text));
    case '<<<':
      return files.set(fd, textFile(shell, `${text}\n`));
    case '<&':
    case '>&':
      if (/^\d+$|^-$/.test(text)) return duplicate(shell, fd, text);
      if (operator === '<&' || fd !== 1) throw new ShellError('syntax error: bad fd number');
      return redirectBoth(shell, text, 'w');
    case '&>':
      return redirectBoth(shell, text, 'w');
    case '&>>':
      return redirectBoth(shell, text, 'a');
    case '<':
      return files.set(fd, await openFile(shell, text, 'r'));
    case '<>':
      return files.set(fd, await openForUpdate(shell, text));
    case '>>':
      return files.set(fd, await openFile(shell, text, 'a'));
    case '>|':
      return files.set(fd, await openFile(shell, text, 'w'));
    case '>':
      return files.set(fd, await openFile(shell, text, shell.options.has('noclobber') ? 'wx' : 'w'));
  }
}

/** A here-document, which may outlive the shell. */
function textFile({ process }: Shell, text: string): OpenFile {
  const cost = costOfText(text);
  process.allocateShared(cost);
  return new OpenFile({ source: sourceOfBytes(toBytes(text)), close: () => process.allocateShared(-cost) });
}

/** `<>` creates a missing file. */
async function openForUpdate(shell: Shell, path: string): Promise<OpenFile> {
  const { fs } = shell.process;
  const full = absolute(shell.cwd, path);
  if (!(await fs.stat(full).catch(() => undefined))) (await openFile(shell, path, 'a')).retain().release();
  return openFile(shell, path, 'r+');
}

async function redirectBoth(shell: Shell, path: string, mode: 'w' | 'a'): Promise<void> {
  const file = await openFile(shell, path, mode);
  shell.files.set(1, file);
  shell.files.set(2, file);
}

function duplicate({ files }: Shell, fd: number, text: string): void {
  const file = files.get(Number(text));
  if (text === '-') files.close(fd);
  else if (file) files.set(fd, file);
  else throw new CommandError(`${text}: Bad file descriptor`);
}
