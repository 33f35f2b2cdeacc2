type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Whether what is written there has colors: on a terminal that knows them, unless NO_COLOR is set (no-color.org);
 * FORCE_COLOR wants them anywhere, or with `0` or `false` nowhere.
 */
export function wantsColor(
  screen: { readonly isTTY?: boolean | undefined },
  { NO_COLOR, FORCE_COLOR, TERM }: Environment = process.env,
): boolean {
  if (NO_COLOR || FORCE_COLOR === '0' || FORCE_COLOR === 'false') return false;
  return FORCE_COLOR !== undefined || (screen.isTTY === true && TERM !== 'dumb');
}
