import { InputError } from '../../input/yaml.js';

/** Throws InputError for `--keep` where nothing is recorded. `recorded` names what would record. */
export function refuseKeep(isGiven: boolean, isRecorded: boolean, recorded = '--record'): void {
  if (isGiven && !isRecorded) throw new InputError([`--keep has no effect without ${recorded}`]);
}
