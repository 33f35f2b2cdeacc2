import type { Check } from '../check.js';

/** A check on one line, for `--list`: id, group, tag and rule. */
export const describeCheck = ({ id, group, tag, rule }: Check): string =>
  `${id.padEnd(28)} ${group.padEnd(18)} ${tag.padEnd(6)}  ${rule}`;
