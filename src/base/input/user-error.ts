/** A failure that the user can act on: the command line prints its message alone, without a stack. */
export class UserError extends Error {
  override readonly name = 'UserError';
}
