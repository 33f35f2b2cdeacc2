import type { z } from 'zod';
import { hasOwnText } from './wording.js';

/** Text such as `; given 5`. `written` is the value before the schema changed it. */
export function givenText(issue: z.core.$ZodIssue, written: unknown): string {
  const { code } = issue;
  const input = givenTo(issue);
  if (input === null) return '; given nothing';
  if (input === undefined)
    return code === 'invalid_type' || code === 'invalid_union' ? '; it is missing' : '';
  if (isUnquoted(issue, input))
    return `; given ${typeof input === 'boolean' ? '' : 'the number '}${input}; write it in quotes`;
  // Only the quotation marks distinguish it from the expected value.
  const isText =
    code === 'invalid_value' && typeof input === 'string' && issue.values.map(String).includes(input);
  return `; given ${isText ? 'the text ' : ''}${brief(asWritten(input, written))}`;
}

function givenTo(issue: z.core.$ZodIssue): unknown {
  const kind = issue.code === 'invalid_union' ? issue.discriminator : undefined;
  return kind === undefined ? issue.input : (issue.input as Readonly<Record<string, unknown>>)[kind];
}

/** Whether quotation marks would make it valid: a text, or one of several texts that look like numbers. */
function isUnquoted(issue: z.core.$ZodIssue, input: unknown): input is number | boolean {
  if (typeof input !== 'number' && typeof input !== 'boolean') return false;
  if (issue.code === 'invalid_type') return issue.expected === 'string' && hasOwnText(issue);
  if (issue.code !== 'invalid_value' || typeof input === 'boolean') return false;
  return issue.values.some((value) => typeof value === 'string' && /^[\d.]+$/.test(value));
}

/** Shows a duration as written, not as the parsed number. */
const asWritten = (input: unknown, written: unknown): unknown =>
  typeof input === 'number' && typeof written === 'string' && written !== String(input) ? written : input;

/** A value as JSON, cut if it is long. */
export function brief(value: unknown): string {
  const text =
    JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}` : part)) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
