import { InputError } from '../../../base/input/yaml.js';

/** Bytes that one file of what was seen may have; of a tape, characters of what it shows. */
export const LARGEST_SEEN = 64 * 1024 * 1024;
/** Characters of a line that are looked at: tables and logs have shorter ones. */
export const LONGEST_LINE = 4 * 1024;
/** Rows, events, lines and states that one file may show. */
export const MOST_SEEN = 50_000;

/** For a file that shows more than can be compared with runs. */
export const tooMuch = (file: string, what = `${MOST_SEEN} rows, events, lines and states`): InputError =>
  new InputError([`--saw: ${file}: it has more than ${what}; cut it to the pod and the minutes in question`]);
