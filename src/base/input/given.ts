import type { z } from 'zod';
import { hasOwnText } from './wording.js';

/** `; given 5`: what an issue is about. `written` is what stood there before the schema changed it. */
export function givenText(issue: z.core.$ZodIssue, written: unknown): string {
  const { code } = issue;
  const input = givenTo(issue);
  if (input === null) return '; given nothing';
  if (input === undefined)
    return code === 'invalid_type' || code === 'invalid_union' ? '; it is missing' : '';
  if (isUnquoted(issue, input))
    return `; given ${typeof input === 'boolean' ? '' : 'the number '}${input}; write it in quotes`;
  // Only the quotation marks tell it from the value that is expected.
  const isText =
    code === 'invalid_value' && typeof input === 'string' && issue.values.map(String).includes(input);
  return `; given ${isText ? 'the text ' : ''}${brief(asWritten(input, written))}`;
}

/** What an issue is about; of a mapping whose kind is unknown, that kind. */
function givenTo(issue: z.core.$ZodIssue): unknown {
  const kind = issue.code === 'invalid_union' ? issue.discriminator : undefined;
  return kind === undefined ? issue.input : (issue.input as Readonly<Record<string, unknown>>)[kind];
}

/** Whether quotation marks make it what is expected: a text, or one of texts that look like numbers. */
function isUnquoted(issue: z.core.$ZodIssue, input: unknown): input is number | boolean {
  if (typeof input !== 'number' && typeof input !== 'boolean') return false;
  if (issue.code === 'invalid_type') return issue.expected === 'string' && hasOwnText(issue);
  if (issue.code !== 'invalid_value' || typeof input === 'boolean') return false;
  return issue.values.some((value) => typeof value === 'string' && /^[\d.]+$/.test(value));
}

/** A duration as it is written, and not as the number that it was made. */
const asWritten = (input: unknown, written: unknown): unknown =>
  typeof input === 'number' && typeof written === 'string' && written !== String(input) ? written : input;

function brief(value: unknown): string {
  const text =
    JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}` : part)) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
