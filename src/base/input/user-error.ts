/** A failure that users can act on: the command line prints only its message, without a stack. */
export class UserError extends Error {
  override readonly name = 'UserError';
}
