/** Accepts anything thrown, not only Errors. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const stackOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
