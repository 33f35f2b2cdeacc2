/** What the parser makes of a script, in the terms of POSIX's shell grammar (XCU 2.10). */
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

export interface SimpleCommand {
  readonly kind: 'simple';
  readonly assignments: readonly Assignment[];
  readonly words: readonly Word[];
  readonly redirections: readonly Redirection[];
  readonly line: number;
}

/** `a | b`, also of one stage when it is negated. */
export interface PipelineCommand {
  readonly kind: 'pipeline';
  readonly stages: readonly Command[];
  readonly negated: boolean;
}

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

export interface SequenceItem {
  readonly command: Command;
  readonly background: boolean;
  /** The source, for `jobs`. */
  readonly text: string;
}

export interface IfCommand {
  readonly kind: 'if';
  readonly clauses: readonly { readonly condition: Command; readonly body: Command }[];
  readonly otherwise: Command | undefined;
  readonly redirections: readonly Redirection[];
}

export interface LoopCommand {
  readonly kind: 'loop';
  readonly until: boolean;
  readonly condition: Command;
  readonly body: Command;
  readonly redirections: readonly Redirection[];
}

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

export interface CaseItem {
  readonly patterns: readonly Word[];
  readonly body: Command;
  /** Ends with `;&`: the next body runs too. */
  readonly fallsThrough: boolean;
}

export interface FunctionCommand {
  readonly kind: 'function';
  readonly name: string;
  readonly body: Command;
}

/** `{ …; }`, or `( … )` in a process of its own. */
export interface GroupCommand {
  readonly kind: 'group' | 'subshell';
  readonly body: Command;
  readonly redirections: readonly Redirection[];
}

export interface Assignment {
  readonly name: string;
  readonly value: Word;
  /** `name+=value` */
  readonly append: boolean;
}

export interface Redirection {
  readonly operator: '<' | '>' | '>|' | '>>' | '<>' | '<&' | '>&' | '&>' | '&>>' | '<<' | '<<<';
  readonly fd: number;
  /** File name, descriptor or text; for `<<` the here-document's body. */
  readonly target: Word;
}

/** Parts that are expanded and joined. No parts at all is impossible: `""` is an empty quoted literal. */
export type Word = readonly WordPart[];

export type WordPart = Literal | Parameter | Substitution | Arithmetic;

export interface Literal {
  readonly kind: 'literal';
  readonly text: string;
  readonly quoted: boolean;
}

export interface Parameter {
  readonly kind: 'parameter';
  /** A name, a digit string, or one of `@ * # ? - $ !`. */
  readonly name: string;
  readonly quoted: boolean;
  readonly operation: ParameterOperation | undefined;
}

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
  /** Found only when it is expanded: a shell says so then. */
  | { readonly kind: 'bad' };

export interface Substitution {
  readonly kind: 'substitution';
  readonly command: Command;
  readonly quoted: boolean;
}

export interface Arithmetic {
  readonly kind: 'arithmetic';
  readonly expression: Word;
  readonly quoted: boolean;
}
