/** `set -e` and `set -o errexit` by letter and name, in the order that `set -o` lists them. */
export const OPTIONS = [
  ['errexit', 'e'],
  ['noglob', 'f'],
  ['ignoreeof', 'I'],
  ['monitor', 'm'],
  ['noexec', 'n'],
  ['xtrace', 'x'],
  ['verbose', 'v'],
  ['noclobber', 'C'],
  ['allexport', 'a'],
  ['notify', 'b'],
  ['nounset', 'u'],
  ['pipefail', undefined],
] as const;

/** Options that only the command line sets. */
const STARTUP = [
  ['interactive', 'i'],
  ['stdin', 's'],
  ['command', 'c'],
  ['login', 'l'],
] as const;

export type OptionName = (typeof OPTIONS)[number][0] | (typeof STARTUP)[number][0];

/** Undefined for an unknown letter; those of STARTUP count only on the command line. */
export function optionByLetter(letter: string, atStartup = false): OptionName | undefined {
  const known = atStartup ? [...OPTIONS, ...STARTUP] : OPTIONS;
  return known.find(([, one]) => one === letter)?.[0];
}

export const optionByName = (name: string): OptionName | undefined =>
  OPTIONS.find(([one]) => one === name)?.[0];

/** Options that change nothing that is simulated: errtrace, and what bash has in addition. */
export const isWithoutEffect = (letter: string, argv0 = ''): boolean =>
  letter === 'E' || (/(^|\/)bash$/.test(argv0) && 'BHTbhkpt'.includes(letter));

/** `$-` */
export function optionLetters(options: ReadonlySet<OptionName>): string {
  return [...OPTIONS, ...STARTUP].map(([name, letter]) => (options.has(name) ? (letter ?? '') : '')).join('');
}
