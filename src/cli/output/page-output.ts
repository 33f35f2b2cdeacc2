import { UserError } from '../../base/input/user-error.js';

/** Throws UserError if standard output is a terminal, which a page would fill with a long line. */
export function refuseTerminal(): void {
  if (process.stdout.isTTY)
    throw new UserError('the page would go to the terminal: write it into a file, as in > timeline.html');
}
