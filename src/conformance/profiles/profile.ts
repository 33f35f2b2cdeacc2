/** A rule that a runtime is known to break. */
export interface Deviation {
  /** A check's id, or an invariant's for all of its checks. */
  readonly check: string;
  /** What the runtime does instead, as it was seen or is stated in its source. */
  readonly why: string;
  readonly link: string;
  /** The versions that do it, from the first to before the second; default all. */
  readonly versions?: readonly (readonly [from: string, before: string])[];
  /** It depends on the moment, so that passing is no surprise. */
  readonly sometimes?: boolean;
}

/** What to expect of a kind of runtime. */
export interface Profile {
  readonly name: string;
  readonly deviations: readonly Deviation[];
}

/** The deviation of this version that covers a check, if the profile has one. */
export function deviationFor(profile: Profile, checkId: string, version: string): Deviation | undefined {
  return profile.deviations.find(
    ({ check, versions }) =>
      (check === checkId || checkId.startsWith(`${check}.`)) &&
      (versions === undefined || versions.some((range) => isWithin(version, range))),
  );
}

const isWithin = (version: string, [from, before]: readonly [string, string]): boolean =>
  compare(version, from) >= 0 && compare(version, before) < 0;

/** Compares `v2.1.9+unknown`, `1.7.24~ds1` and the like by their numbers. */
function compare(a: string, b: string): number {
  const [left, right] = [numbersOf(a), numbersOf(b)];
  for (let index = 0; index < 3; index++) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

const numbersOf = (version: string): number[] =>
  (/\d+(\.\d+)*/.exec(version)?.[0] ?? '0').split('.').map(Number);
