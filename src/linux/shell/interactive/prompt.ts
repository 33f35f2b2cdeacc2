import type { Shell } from '../execution/shell.js';

/** PS1, with busybox's escapes `\w`, `\u`, `\h` and `\$`; by default `/ # ` for root and `/ $ ` for others. */
export function prompt(shell: Shell): string {
  const format = shell.variables.get('PS1') ?? '\\w \\$ ';
  return format.replace(/\\([wWuhHn$\\])/g, (_, letter: string) => promptPart(shell, letter));
}

/** PS2, `> ` by default. */
export const continuationPrompt = (shell: Shell): string => shell.variables.get('PS2') ?? '> ';

function promptPart(shell: Shell, letter: string): string {
  const { user, container } = shell.process;
  const home = shell.variables.get('HOME');
  switch (letter) {
    case 'w':
      return home && home !== '/' && shell.cwd === home ? '~' : shell.cwd;
    case 'W':
      return shell.cwd === '/' ? '/' : shell.cwd.slice(shell.cwd.lastIndexOf('/') + 1);
    case 'u':
      return user.name;
    case 'h':
    case 'H':
      return container.hostname;
    case '$':
      return user.uid === 0 ? '#' : '$';
    case 'n':
      return '\n';
    default:
      return letter;
  }
}
