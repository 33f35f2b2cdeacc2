import { ShellError } from './control-flow.js';

interface Variable {
  readonly value: string | undefined;
  readonly exported: boolean;
  readonly readonly: boolean;
}

const UNSET: Variable = { value: undefined, exported: false, readonly: false };

/** A shell's variables. `local` ones hide the others until the scope they were made in is left (dynamic scope). */
export class Variables {
  /** Takes memory, in bytes, of the shell's process; negative to return it. */
  readonly #allocate: (bytes: number) => void;
  readonly #variables: Map<string, Variable>;
  /** What to put back when a scope is left. */
  readonly #scopes: Map<string, Variable | undefined>[] = [];

  constructor(allocate: (bytes: number) => void, variables: Iterable<readonly [string, Variable]> = []) {
    this.#allocate = allocate;
    this.#variables = new Map(variables);
  }

  static fromEnvironment(env: ReadonlyMap<string, string>, allocate: (bytes: number) => void): Variables {
    const entries = Array.from(
      env,
      ([name, value]) => [name, { value, exported: true, readonly: false }] as const,
    );
    return new Variables(allocate, entries);
  }

  get(name: string): string | undefined {
    return this.#variables.get(name)?.value;
  }

  /** Throws a ShellError for a read-only variable. */
  set(name: string, value: string, exported = false): void {
    const variable = this.#writable(name);
    this.#allocate(value.length - (variable.value?.length ?? 0));
    this.#variables.set(name, { ...variable, value, exported: variable.exported || exported });
  }

  unset(name: string): void {
    this.#allocate(-(this.#writable(name).value?.length ?? 0));
    this.#variables.delete(name);
  }

  mark(name: string, marks: { readonly exported?: boolean; readonly readonly?: boolean }): void {
    this.#variables.set(name, { ...(this.#variables.get(name) ?? UNSET), ...marks });
  }

  /**
   * Names, sorted, of those that carry a mark; of all that have a value without one. What the environment has under other
   * names is passed on to commands, but not listed: no shell could read it again.
   */
  names(mark?: 'exported' | 'readonly'): string[] {
    const entries = [...this.#variables].filter(([name]) => isName(name));
    const chosen = entries.filter(([, variable]) => (mark ? variable[mark] : variable.value !== undefined));
    return chosen.map(([name]) => name).sort();
  }

  /** What a command gets as its environment. */
  exported(): Map<string, string> {
    const env = new Map<string, string>();
    for (const [name, { value, exported }] of this.#variables) {
      if (exported && value !== undefined) env.set(name, value);
    }
    return env;
  }

  get isInScope(): boolean {
    return this.#scopes.length > 0;
  }

  enterScope(): void {
    this.#scopes.push(new Map());
  }

  leaveScope(): void {
    for (const [name, variable] of this.#scopes.pop() ?? []) {
      this.#allocate((variable?.value?.length ?? 0) - (this.get(name)?.length ?? 0));
      if (variable === undefined) this.#variables.delete(name);
      else this.#variables.set(name, variable);
    }
  }

  /** What happens to the variable from now on ends with the scope. */
  keepForScope(name: string): void {
    const scope = this.#scopes.at(-1);
    if (scope && !scope.has(name)) scope.set(name, this.#variables.get(name));
  }

  /** Those of a child process, which pays for what it sets and not for what it inherits. */
  clone(allocate: (bytes: number) => void): Variables {
    return new Variables(allocate, this.#variables);
  }

  #writable(name: string): Variable {
    const variable = this.#variables.get(name) ?? UNSET;
    if (variable.readonly) throw new ShellError(`${name}: is read only`);
    return variable;
  }
}

/** A name in POSIX's sense (XBD chapter 3, Name). */
export const isName = (text: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(text);
