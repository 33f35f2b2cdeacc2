import { InputError } from '../../base/input/yaml.js';

/**
 * A sentence about a `keep` without effect, because nothing is recorded. Variables and files may contain it, because
 * they serve many starts. Throws InputError for the option.
 */
export function keepWithoutEffect(
  record: string | undefined,
  sources: ReadonlyMap<string, string>,
): readonly string[] {
  const source = sources.get('keep');
  refuseKeep(source === '--keep', record !== undefined);
  return source === undefined || record !== undefined ? [] : [`${source} has no effect without --record`];
}

/** Throws InputError for `--keep` without a recording. `recorded` names the options that record. */
export function refuseKeep(isGiven: boolean, isRecorded: boolean, recorded = '--record'): void {
  if (isGiven && !isRecorded) throw new InputError([`--keep has no effect without ${recorded}`]);
}
