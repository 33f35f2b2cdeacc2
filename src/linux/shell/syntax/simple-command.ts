import type { Assignment, Command, Redirection, Word } from './ast.js';
import type { PendingHereDocument, RedirectionOperator } from './lexer.js';
import { ShellSyntaxError } from './syntax-error.js';
import type { TokenStream } from './token-stream.js';
import { keywordOf, splitAssignment, textOf } from './tokens.js';

export const CLOSING_WORDS: ReadonlySet<string> = new Set([
  'then',
  'else',
  'elif',
  'fi',
  'do',
  'done',
  'esac',
  '}',
  'in',
]);

/** Assignments, words and redirections; or `name()`, after which `functionBody` reads the rest. */
export function readSimpleCommand(tokens: TokenStream, functionBody: (name: string) => Command): Command {
  const { line } = tokens.peek();
  const assignments: Assignment[] = [];
  const words: Word[] = [];
  const redirections: Redirection[] = [];
  for (let token = tokens.peek(); ; token = tokens.peek()) {
    if (token.kind === 'redirection') redirections.push(readRedirection(tokens));
    else if (token.kind === 'word') {
      if (words.length + redirections.length === 0 && CLOSING_WORDS.has(keywordOf(token) ?? '')) break;
      tokens.take();
      const assignment = words.length === 0 ? splitAssignment(token.word) : undefined;
      if (assignment) assignments.push(assignment);
      else words.push(token.word);
      const name = words.length === 1 ? textOf(token) : undefined;
      if (name === '[[') for (const word of readTestWords(tokens)) words.push(word);
      if (name !== undefined && assignments.length === 0 && tokens.isOperator('(')) {
        return functionBody(readFunctionName(tokens, name));
      }
    } else break;
  }
  if (words.length + assignments.length + redirections.length === 0) tokens.unexpected();
  return { kind: 'simple', assignments, words, redirections, line };
}

export function readRedirections(tokens: TokenStream): Redirection[] {
  const redirections: Redirection[] = [];
  while (tokens.peek().kind === 'redirection') redirections.push(readRedirection(tokens));
  return redirections;
}

/** The words between `[[` and `]]`, which include `&&`, `||`, `<`, `>` and parentheses. */
function readTestWords(tokens: TokenStream): Word[] {
  const words: Word[] = [];
  for (let isClosed = false; !isClosed; ) {
    const token = tokens.take();
    if (token.kind === 'word') words.push(token.word);
    else if (token.kind === 'operator' && /^(&&|\|\||[()])$/.test(token.text))
      words.push(literal(token.text));
    else if (token.kind === 'redirection' && /^[<>]$/.test(token.operator))
      words.push(literal(token.operator));
    else if (token.kind !== 'newline') tokens.unexpectedToken(token, ']]');
    isClosed = textOf(token) === ']]';
  }
  return words;
}

const literal = (text: string): Word => [{ kind: 'literal', text, quoted: false }];

function readFunctionName(tokens: TokenStream, name: string): string {
  tokens.take();
  tokens.expect(')');
  if (!/^[^\s"'$`\\=]+$/.test(name)) throw new ShellSyntaxError('bad function name', tokens.peek().line);
  return name;
}

function readRedirection(tokens: TokenStream): Redirection {
  const token = tokens.take();
  if (token.kind !== 'redirection') return tokens.unexpected();
  const { operator, fd } = token;
  const target = tokens.word();
  return operator === '<<' || operator === '<<-'
    ? readHereDocument(tokens, operator, fd, target)
    : { operator, fd, target };
}

/** Its body is complete once the line has been read to its end. */
function readHereDocument(
  tokens: TokenStream,
  operator: RedirectionOperator,
  fd: number,
  target: Word,
): Redirection {
  const document: PendingHereDocument = {
    delimiter: target.map((part) => (part.kind === 'literal' ? part.text : '')).join(''),
    quoted: target.some((part) => part.kind === 'literal' && part.quoted),
    stripTabs: operator === '<<-',
    body: [{ kind: 'literal', text: '', quoted: true }],
  };
  tokens.expectHereDocument(document);
  return {
    operator: '<<',
    fd,
    get target() {
      return document.body;
    },
  };
}
