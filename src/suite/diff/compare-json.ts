import { isObject } from '../../base/input/object.js';
import type { Normal } from './normal-form.js';

export interface FieldDifference {
  /** `status.mounts[].hostPath`; empty for the whole value. */
  readonly path: string;
  readonly left: string;
  readonly right: string;
}

/** Longest value that is shown, in characters. */
const LONGEST = 300;

/** Returns all differences between two values; lists nothing below an object that only one side has. */
export function compareJson(
  left: Normal | undefined,
  right: Normal | undefined,
  path = '',
): FieldDifference[] {
  if (Array.isArray(left) && Array.isArray(right) && left.length === right.length)
    return left.flatMap((item, index) => compareJson(item, right[index], `${path}[]`));
  if (isObject(left) && isObject(right)) {
    const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])];
    return keys.flatMap((key) => compareJson(left[key], right[key], path === '' ? key : `${path}.${key}`));
  }
  const texts = [showNormal(left), showNormal(right)] as const;
  return texts[0] === texts[1] ? [] : [{ path, left: texts[0], right: texts[1] }];
}

/** A value in one line; `none` for a missing one. */
export function showNormal(value: Normal | undefined): string {
  const text = value === undefined ? 'none' : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
