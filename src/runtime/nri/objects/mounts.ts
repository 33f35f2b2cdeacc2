/** The depth of a mount: it must follow those above it, which would hide it. */
export const depthOf = (destination: string): number =>
  destination.split('/').filter((part) => part !== '').length;

export const hasBindOption = (options: readonly string[]): boolean =>
  options.some((option) => /^r?bind$/.test(option));
