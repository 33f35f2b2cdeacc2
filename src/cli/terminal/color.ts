type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Whether to color output to this stream: on a terminal with color support, unless NO_COLOR is set (no-color.org).
 * FORCE_COLOR enables colors everywhere; `0` or `false` disables them.
 */
export function wantsColor(
  screen: { readonly isTTY?: boolean | undefined },
  { NO_COLOR, FORCE_COLOR, TERM }: Environment = process.env,
): boolean {
  if (NO_COLOR || FORCE_COLOR === '0' || FORCE_COLOR === 'false') return false;
  return FORCE_COLOR !== undefined || (screen.isTTY === true && TERM !== 'dumb');
}
