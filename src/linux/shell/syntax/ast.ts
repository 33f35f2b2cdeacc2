/** A parsed script, in the terms of POSIX's shell grammar (XCU 2.10). */
export type Command =
  | SimpleCommand
  | PipelineCommand
  | AndOrCommand
  | SequenceCommand
  | IfCommand
  | LoopCommand
  | ForCommand
  | CaseCommand
  | FunctionCommand
  | GroupCommand;

/** Assignments, words and redirections (POSIX 2.9.1); `line` counts from 1. */
export interface SimpleCommand {
  readonly kind: 'simple';
  readonly assignments: readonly Assignment[];
  readonly words: readonly Word[];
  readonly redirections: readonly Redirection[];
  readonly line: number;
}

/** `a | b`, also with one stage when it is negated. */
export interface PipelineCommand {
  readonly kind: 'pipeline';
  readonly stages: readonly Command[];
  readonly negated: boolean;
}

/** `left && right`, `left || right` (POSIX 2.9.3). */
export interface AndOrCommand {
  readonly kind: 'and-or';
  readonly operator: '&&' | '||';
  readonly left: Command;
  readonly right: Command;
}

/** Commands one after another; one with `&` goes to the background. */
export interface SequenceCommand {
  readonly kind: 'sequence';
  readonly items: readonly SequenceItem[];
}

/** One command of a list, ended by `;`, a newline or `&`. */
export interface SequenceItem {
  readonly command: Command;
  readonly background: boolean;
  /** The source, for `jobs`; empty in the foreground. */
  readonly text: string;
}

/** `if` with its `elif`s; `otherwise` is `else`. */
export interface IfCommand {
  readonly kind: 'if';
  readonly clauses: readonly { readonly condition: Command; readonly body: Command }[];
  readonly otherwise: Command | undefined;
  readonly redirections: readonly Redirection[];
}

/** `while` and `until`. */
export interface LoopCommand {
  readonly kind: 'loop';
  readonly until: boolean;
  readonly condition: Command;
  readonly body: Command;
  readonly redirections: readonly Redirection[];
}

/** `for name in words`. */
export interface ForCommand {
  readonly kind: 'for';
  readonly name: string;
  /** Undefined without `in`: the positional parameters. */
  readonly words: readonly Word[] | undefined;
  readonly body: Command;
  readonly redirections: readonly Redirection[];
}

export interface CaseCommand {
  readonly kind: 'case';
  readonly subject: Word;
  readonly items: readonly CaseItem[];
  readonly redirections: readonly Redirection[];
}

/** One branch: any of its patterns selects the body. */
export interface CaseItem {
  readonly patterns: readonly Word[];
  readonly body: Command;
  /** Ends with `;&`: the next body runs too. */
  readonly fallsThrough: boolean;
}

/** A definition: running it only stores the body. */
export interface FunctionCommand {
  readonly kind: 'function';
  readonly name: string;
  readonly body: Command;
  /** Memory in bytes. */
  readonly cost: number;
}

/** `{ …; }`, or `( … )` in its own process. */
export interface GroupCommand {
  readonly kind: 'group' | 'subshell';
  readonly body: Command;
  readonly redirections: readonly Redirection[];
}

/** `name=value` before or instead of a command; the value is not split. */
export interface Assignment {
  readonly name: string;
  readonly value: Word;
  /** `name+=value` */
  readonly append: boolean;
}

/** One of POSIX 2.7, or bash's `&>`, `&>>` and `<<<`. */
export interface Redirection {
  readonly operator: '<' | '>' | '>|' | '>>' | '<>' | '<&' | '>&' | '&>' | '&>>' | '<<' | '<<<';
  /** The redirected descriptor: the number in front, otherwise 0 or 1 by the operator. */
  readonly fd: number;
  /** File name, descriptor or text; for `<<` the here-document's body. */
  readonly target: Word;
}

/** Parts that are expanded and joined. A word always has parts: `""` is an empty quoted literal. */
export type Word = readonly WordPart[];

export type WordPart = Literal | Parameter | Substitution | Arithmetic;

/** Literal text; quoted, it has no special characters. */
export interface Literal {
  readonly kind: 'literal';
  readonly text: string;
  readonly quoted: boolean;
}

/** `$name`, `${name}` and `${name…}`; unquoted, the value is split. */
export interface Parameter {
  readonly kind: 'parameter';
  /** A name, a digit string, or one of `@ * # ? - $ !`. */
  readonly name: string;
  readonly quoted: boolean;
  readonly operation: ParameterOperation | undefined;
}

/** What follows the name in braces; with `colon`, empty counts as unset (POSIX 2.6.2). */
export type ParameterOperation =
  | { readonly kind: 'length' }
  | {
      readonly kind: 'default' | 'assign' | 'error' | 'alternative';
      readonly colon: boolean;
      readonly word: Word;
    }
  | {
      readonly kind: 'trim';
      readonly from: 'start' | 'end';
      readonly longest: boolean;
      readonly pattern: Word;
    }
  | { readonly kind: 'slice'; readonly offset: Word; readonly length: Word | undefined }
  | { readonly kind: 'replace'; readonly all: boolean; readonly pattern: Word; readonly replacement: Word }
  /** Reported on expansion, as in a shell. */
  | { readonly kind: 'bad' };

/** `$(command)` and backquotes; unquoted, the output is split. */
export interface Substitution {
  readonly kind: 'substitution';
  readonly command: Command;
  readonly quoted: boolean;
}

/** `$((expression))`; the expression is expanded before it is parsed. */
export interface Arithmetic {
  readonly kind: 'arithmetic';
  readonly expression: Word;
  readonly quoted: boolean;
}
