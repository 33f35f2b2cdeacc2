export interface ArithmeticVariables {
  get(name: string): string | undefined;
  set(name: string, value: string): void;
}

/** Its message is busybox's. */
export class ArithmeticError extends Error {
  override readonly name = 'ArithmeticError';
}

/** Nesting of parentheses, and of variables whose value is an expression. */
const MAX_DEPTH = 100;
/** Tokens of an expression, including those of its variables for each use. */
const MAX_TOKENS = 100_000;
const MAX_LENGTH = 128 * 1024;

const TOKEN =
  /\s*(0[xX][0-9a-fA-F]+|[0-9]+|[A-Za-z_][A-Za-z0-9_]*|<<=|>>=|\*\*|<<|>>|<=|>=|==|!=|&&|\|\||\+\+|--|[-+*/%&|^]=|[-+*/%<>=!~&|^?:(),])/y;

const BINARY: Readonly<Record<string, number>> = {
  ',': 1,
  '||': 4,
  '&&': 5,
  '|': 6,
  '^': 7,
  '&': 8,
  '==': 9,
  '!=': 9,
  '<': 10,
  '<=': 10,
  '>': 10,
  '>=': 10,
  '<<': 11,
  '>>': 11,
  '+': 12,
  '-': 12,
  '*': 13,
  '/': 13,
  '%': 13,
  '**': 14,
};

const ASSIGNMENT = /^(=|[-+*/%&|^]=|<<=|>>=)$/;
const CONDITIONAL = 3;
const UNARY = 15;

/** The value of a C expression over signed 64-bit numbers (POSIX 2.6.4). Throws ArithmeticError. */
export function evaluate(
  expression: string,
  variables: ArithmeticVariables,
  depth = 0,
  budget = { tokens: MAX_TOKENS },
): bigint {
  if (depth > MAX_DEPTH) throw new ArithmeticError('expression recursion loop detected');
  if (expression.length > MAX_LENGTH) throw new ArithmeticError('expression is too long');
  if (expression.trim() === '') return 0n;
  const tokens = tokenize(expression);
  budget.tokens -= tokens.length;
  if (budget.tokens < 0) throw new ArithmeticError('expression is too long');
  return new Evaluator(tokens, variables, depth, budget).whole();
}

function tokenize(expression: string): string[] {
  const tokens: string[] = [];
  const text = expression.trimEnd();
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < text.length; ) {
    const token = TOKEN.exec(text)?.[1];
    if (token === undefined) throw new ArithmeticError('arithmetic syntax error');
    tokens.push(token);
  }
  return tokens;
}

class Evaluator {
  readonly #tokens: readonly string[];
  readonly #variables: ArithmeticVariables;
  readonly #budget: { tokens: number };
  #depth: number;
  #position = 0;
  /** Parses the untaken side of `&&`, `||` or `?:` without effects. */
  #skipping = 0;

  constructor(
    tokens: readonly string[],
    variables: ArithmeticVariables,
    depth: number,
    budget: { tokens: number },
  ) {
    this.#tokens = tokens;
    this.#budget = budget;
    this.#variables = variables;
    this.#depth = depth;
  }

  whole(): bigint {
    const value = this.#expression(1);
    if (this.#position < this.#tokens.length) fail();
    return value;
  }

  #expression(minimum: number): bigint {
    if (++this.#depth > MAX_DEPTH) throw new ArithmeticError('expression recursion loop detected');
    let left = this.#unary();
    for (;;) {
      const operator = this.#tokens[this.#position] ?? '';
      if (operator === '?' && minimum <= CONDITIONAL) left = this.#conditional(left);
      else {
        const precedence = BINARY[operator];
        if (precedence === undefined || precedence < minimum) break;
        this.#position++;
        left = this.#binary(operator, precedence, left);
      }
    }
    this.#depth--;
    return left;
  }

  #conditional(condition: bigint): bigint {
    this.#position++;
    const yes = this.#skippedUnless(condition !== 0n, () => this.#expression(2));
    if (this.#take() !== ':') fail();
    const no = this.#skippedUnless(condition === 0n, () => this.#expression(CONDITIONAL));
    return condition === 0n ? no : yes;
  }

  #binary(operator: string, precedence: number, left: bigint): bigint {
    if (operator === '&&' || operator === '||') {
      const needed = (left !== 0n) === (operator === '&&');
      const right = this.#skippedUnless(needed, () => this.#expression(precedence + 1));
      return truth(needed ? right !== 0n : operator === '||');
    }
    const right = this.#expression(operator === '**' ? precedence : precedence + 1);
    return this.#skipping > 0 ? 0n : compute(operator, left, right);
  }

  #skippedUnless(needed: boolean, evaluateSide: () => bigint): bigint {
    if (!needed) this.#skipping++;
    const value = evaluateSide();
    if (!needed) this.#skipping--;
    return value;
  }

  #unary(): bigint {
    const token = this.#take();
    if (token === '(') return this.#parenthesis();
    if (token === '++' || token === '--') return this.#increment(token);
    if (token !== undefined && '-+!~'.includes(token)) return this.#negate(token);
    if (token !== undefined && /^[0-9]/.test(token)) return parseNumber(token);
    if (token !== undefined && /^[A-Za-z_]/.test(token)) return this.#variable(token);
    return fail();
  }

  #negate(operator: string): bigint {
    const value = this.#expression(UNARY);
    if (operator === '!') return truth(value === 0n);
    return BigInt.asIntN(64, operator === '-' ? -value : operator === '~' ? ~value : value);
  }

  #parenthesis(): bigint {
    const value = this.#expression(1);
    if (this.#take() !== ')') fail();
    return value;
  }

  #increment(operator: string): bigint {
    const name = this.#take() ?? '';
    if (!/^[A-Za-z_]/.test(name)) fail();
    return this.#assign(name, this.#valueOf(name) + (operator === '++' ? 1n : -1n));
  }

  #variable(name: string): bigint {
    const operator = this.#tokens[this.#position] ?? '';
    if (operator === '++' || operator === '--') {
      this.#position++;
      const before = this.#valueOf(name);
      this.#assign(name, before + (operator === '++' ? 1n : -1n));
      return before;
    }
    if (!ASSIGNMENT.test(operator)) return this.#valueOf(name);
    this.#position++;
    const right = this.#expression(2);
    if (operator === '=' || this.#skipping > 0) return this.#assign(name, right);
    return this.#assign(name, compute(operator.slice(0, -1), this.#valueOf(name), right));
  }

  #valueOf(name: string): bigint {
    if (this.#skipping > 0) return 0n;
    return evaluate(this.#variables.get(name) ?? '', this.#variables, this.#depth + 1, this.#budget);
  }

  #assign(name: string, value: bigint): bigint {
    const result = BigInt.asIntN(64, value);
    if (this.#skipping === 0) this.#variables.set(name, String(result));
    return result;
  }

  #take(): string | undefined {
    return this.#tokens[this.#position++];
  }
}

function compute(operator: string, left: bigint, right: bigint): bigint {
  if ((operator === '/' || operator === '%') && right === 0n) throw new ArithmeticError('divide by zero');
  return BigInt.asIntN(64, computeExactly(operator, left, right));
}

function computeExactly(operator: string, left: bigint, right: bigint): bigint {
  switch (operator) {
    case ',':
      return right;
    case '|':
      return left | right;
    case '^':
      return left ^ right;
    case '&':
      return left & right;
    case '==':
      return truth(left === right);
    case '!=':
      return truth(left !== right);
    case '<':
      return truth(left < right);
    case '<=':
      return truth(left <= right);
    case '>':
      return truth(left > right);
    case '>=':
      return truth(left >= right);
    case '<<':
      return left << (right & 63n);
    case '>>':
      return left >> (right & 63n);
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '%':
      return left % right;
    default:
      return power(left, right);
  }
}

/** Modulo 2^64 at every step, so that the numbers stay small. */
function power(base: bigint, exponent: bigint): bigint {
  if (exponent < 0n) throw new ArithmeticError('exponent less than 0');
  let result = 1n;
  for (let square = base, left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = BigInt.asIntN(64, result * square);
    square = BigInt.asIntN(64, square * square);
  }
  return result;
}

function parseNumber(token: string): bigint {
  if (/^0[0-9]/.test(token)) {
    if (/[89]/.test(token)) fail();
    return BigInt.asIntN(64, BigInt(`0o${token.slice(1)}`));
  }
  return BigInt.asIntN(64, BigInt(token));
}

const truth = (holds: boolean): bigint => (holds ? 1n : 0n);

function fail(): never {
  throw new ArithmeticError('arithmetic syntax error');
}
