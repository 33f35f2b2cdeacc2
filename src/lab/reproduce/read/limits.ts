import { InputError } from '../../../base/input/yaml.js';

/** Maximum bytes of one file; for a tape, characters of its contents. */
export const LARGEST_SEEN = 64 * 1024 * 1024;
/** Longer lines are not examined: tables and logs have shorter ones. */
export const LONGEST_LINE = 4 * 1024;
export const MOST_SEEN = 50_000;

/** For a file that shows more than can be compared with runs. */
export const tooMuch = (file: string, what = `${MOST_SEEN} rows, events, lines and states`): InputError =>
  new InputError([
    `--saw: ${file}: it has more than ${what}; reduce it to the pod and the minutes in question`,
  ]);
