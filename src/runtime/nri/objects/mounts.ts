/** How deep a mount is: it comes after those above it, which would hide it. */
export const depthOf = (destination: string): number =>
  destination.split('/').filter((part) => part !== '').length;

/** Whether a mount's options make it a bind mount. */
export const hasBindOption = (options: readonly string[]): boolean =>
  options.some((option) => /^r?bind$/.test(option));
