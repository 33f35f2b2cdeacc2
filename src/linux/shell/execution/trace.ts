import { type Shell, write } from './shell.js';

/** `set -x`: says what is about to run. */
export async function trace(
  shell: Shell,
  values: readonly (readonly [string, string])[],
  args: readonly string[],
): Promise<void> {
  if (!shell.options.has('xtrace')) return;
  const words = [...values.map(([name, value]) => `${name}=${quoted(value)}`), ...args.map(quoted)];
  await write(shell, 2, `${shell.variables.get('PS4') ?? '+ '}${words.join(' ')}\n`);
}

/** A word so that a shell reads it as it is. */
export const quoted = (text: string): string =>
  /^[A-Za-z0-9_@%+=:,./!^{}[\]~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
