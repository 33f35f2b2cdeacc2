import { packageVersion } from '../base/input/package-version.js';
import type { Header } from './entries.js';
import { type Redaction, redactions } from './keep.js';
import { TAPE_VERSION } from './line-writer.js';
import type { ReadableTape } from './tape.js';

/** Header fields from the caller; `recorder` defaults to Mockri with its version. */
export type About = Partial<Pick<Header, 'recorder'>> &
  Pick<Header, 'runtime' | 'apiLevel' | 'profile' | 'kubelet' | 'seed' | 'lacks'>;

/** Header of a part of a tape that starts at a time, in ns since the tape's start. */
export const headerAt = (
  tape: ReadableTape,
  start: number,
  about: About,
  kept: ReadonlySet<Redaction>,
): Header => ({
  t: 0,
  kind: 'header',
  version: TAPE_VERSION,
  startedAt: String(tape.startedAt + BigInt(start)),
  clock: tape.clock.kind,
  recorder: `mockri ${packageVersion()}`,
  ...about,
  redacted: redactions.filter((each) => !kept.has(each)),
});
