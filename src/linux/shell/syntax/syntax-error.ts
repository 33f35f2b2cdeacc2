/** A shell prints it after `sh: ` for a script that it can't parse; its exit code is 2. */
export class ShellSyntaxError extends Error {
  override readonly name = 'ShellSyntaxError';
  readonly line: number;
  /** More input could complete it: an interactive shell reads another line. */
  readonly incomplete: boolean;

  constructor(what: string, line: number, incomplete = false) {
    super(`syntax error: ${what}`);
    this.line = line;
    this.incomplete = incomplete;
  }
}
