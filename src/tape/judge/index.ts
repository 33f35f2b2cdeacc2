/** `mockri/tape`: reads, judges and compares tapes (docs/testing.md). */
export { InputError } from '../../base/input/yaml.js';
export {
  type BegunCall,
  durationOf,
  type FinishedCall,
  faultsOf,
  joinCalls,
  type OtherEntry,
} from '../calls.js';
export { type Difference, diffTapes, type TapeDiff } from '../diff.js';
export type { Entry, EntryOf, Header, Subject } from '../entries.js';
export type { Message } from '../message.js';
export { type NumberedEntry, openTape, type TapeFile } from '../read.js';
export { showCall, showHeader, showSubject } from '../show.js';
export type { Finding, Side } from './finding.js';
export { type Judgment, judgeTape } from './tape-judge.js';
