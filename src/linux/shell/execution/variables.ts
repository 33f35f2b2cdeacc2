import { costOfText, ownText } from '../../process/memory.js';
import { ShellError } from './control-flow.js';

interface Variable {
  readonly value: string | undefined;
  readonly exported: boolean;
  readonly readonly: boolean;
  /** In bytes. */
  readonly cost: number;
}

const UNSET: Variable = { value: undefined, exported: false, readonly: false, cost: 0 };

const costOf = (name: string, value = ''): number => costOfText(name) + costOfText(value);

/** A shell's variables. `local` ones hide others until their scope ends (dynamic scope). */
export class Variables {
  /** Takes memory, in bytes, of the shell's process; negative to return it. */
  readonly #allocate: (bytes: number) => void;
  readonly #variables: Map<string, Variable>;
  readonly #scopes: Map<string, Variable | undefined>[] = [];

  constructor(allocate: (bytes: number) => void, variables: Iterable<readonly [string, Variable]> = []) {
    this.#allocate = allocate;
    this.#variables = new Map(variables);
  }

  static fromEnvironment(env: ReadonlyMap<string, string>, allocate: (bytes: number) => void): Variables {
    const variables = new Variables(allocate);
    for (const [name, value] of env) variables.set(name, value, true);
    return variables;
  }

  get(name: string): string | undefined {
    return this.#variables.get(name)?.value;
  }

  /** Throws a ShellError for a read-only variable. */
  set(name: string, value: string, exported = false): void {
    const variable = this.#writable(name);
    const cost = costOf(name, value);
    this.#allocate(cost - variable.cost);
    const isExported = variable.exported || exported;
    this.#variables.set(name, { ...variable, value: ownText(value), exported: isExported, cost });
  }

  unset(name: string): void {
    this.#allocate(-this.#writable(name).cost);
    this.#variables.delete(name);
  }

  mark(name: string, marks: { readonly exported?: boolean; readonly readonly?: boolean }): void {
    const variable = this.#variables.get(name) ?? { ...UNSET, cost: costOf(name) };
    if (!this.#variables.has(name)) this.#allocate(variable.cost);
    this.#variables.set(name, { ...variable, ...marks });
  }

  /** Sorted names of marked variables, or of all with a value, without those that no shell could read again. */
  names(mark?: 'exported' | 'readonly'): string[] {
    const entries = [...this.#variables].filter(([name]) => isName(name));
    const chosen = entries.filter(([, variable]) => (mark ? variable[mark] : variable.value !== undefined));
    return chosen.map(([name]) => name).sort();
  }

  exported(): Map<string, string> {
    const env = new Map<string, string>();
    for (const [name, { value, exported }] of this.#variables) {
      if (exported && value !== undefined) env.set(name, value);
    }
    return env;
  }

  enterScope(): void {
    this.#scopes.push(new Map());
  }

  leaveScope(): void {
    for (const [name, variable] of this.#scopes.pop() ?? []) {
      this.#allocate(-costOf(name) - (this.#variables.get(name)?.cost ?? 0));
      if (variable === undefined) this.#variables.delete(name);
      else this.#variables.set(name, variable);
    }
  }

  /** Saves the variable: its later changes end with the scope, which pays for the saved value. */
  keepForScope(name: string): void {
    const scope = this.#scopes.at(-1);
    if (!scope || scope.has(name)) return;
    this.#allocate(costOf(name));
    const variable = this.#variables.get(name);
    scope.set(name, variable);
    if (variable) this.#variables.set(name, { ...variable, cost: 0 });
  }

  /** The variables of a child process; it doesn't pay for inherited ones. */
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
