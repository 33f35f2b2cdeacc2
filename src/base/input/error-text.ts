/** The message of what was thrown, which is not always an Error. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The message with the stack, for a defect. */
export const stackOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
