// `break`, `return` and `exit` throw these to leave the commands around them.

/** `break` and `continue`. */
export class LoopJump {
  readonly kind: 'break' | 'continue';
  /** Number of loops that it leaves; 1 is the innermost. */
  readonly levels: number;

  constructor(kind: LoopJump['kind'], levels: number) {
    this.kind = kind;
    this.levels = levels;
  }
}

/** `return`, from a function or a sourced file, with its status. */
export class FunctionReturn {
  readonly status: number;

  constructor(status: number) {
    this.status = status;
  }
}

export class ShellExit {
  readonly status: number;

  constructor(status: number) {
    this.status = status;
  }
}

/** Ctrl-C in an interactive shell: back to the prompt. */
export class Interrupted {}

export abstract class PrintedError extends Error {
  readonly status: number;
  /** The builtin that failed, which prefixes the message. */
  readonly builtin: string | undefined;

  constructor(message: string, status: number, builtin: string | undefined) {
    super(message);
    this.status = status;
    this.builtin = builtin;
  }
}

/** An error that ends a script; an interactive shell continues with the next line. */
export class ShellError extends PrintedError {
  override readonly name = 'ShellError';

  constructor(message: string, status = 2, builtin?: string) {
    super(message, status, builtin);
  }
}

/** An error of one command: it is printed, and the command's status is 1. */
export class CommandError extends PrintedError {
  override readonly name = 'CommandError';

  constructor(message: string, status = 1, builtin?: string) {
    super(message, status, builtin);
  }
}
