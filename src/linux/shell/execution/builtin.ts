import type { RunContext, Shell } from './shell.js';

export interface BuiltinCall {
  readonly name: string;
  readonly context: RunContext;
  readonly builtins: ReadonlyMap<string, Builtin>;
  /** Runs a builtin or a program, but no function, by its arguments (`command`). */
  readonly run: (args: readonly string[]) => Promise<number>;
}

/** Returns its exit status, 0 to 255. */
export interface Builtin {
  /** Runs in the shell's own process. `args` are without the name. */
  readonly run: (shell: Shell, args: readonly string[], call: BuiltinCall) => number | Promise<number>;
  /** A special builtin: its errors end a script, and assignments before it stay (POSIX 2.14). */
  readonly special: boolean;
}
