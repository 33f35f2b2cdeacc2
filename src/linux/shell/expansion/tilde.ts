import type { Shell } from '../execution/shell.js';

/** `~` and `~user` at the beginning of a text, if that is a home directory. */
export async function expandTilde(
  shell: Shell,
  text: string,
): Promise<{ home: string; rest: string } | undefined> {
  const prefix = /^~([A-Za-z0-9_.-]*)(?=\/|:|$)/.exec(text);
  if (!prefix) return undefined;
  const home = prefix[1] === '' ? shell.variables.get('HOME') : await homeOf(shell, prefix[1] as string);
  return home === undefined ? undefined : { home, rest: text.slice(prefix[0].length) };
}

async function homeOf(shell: Shell, user: string): Promise<string | undefined> {
  const passwd = await shell.process.fs.readFile('/etc/passwd').catch(() => Buffer.alloc(0));
  const fields = passwd
    .toString()
    .split('\n')
    .map((line) => line.split(':'));
  return fields.find(([name]) => name === user)?.[5];
}
