export interface Deviation {
  /** A check's id, or an invariant's for all of its checks. */
  readonly check: string;
  /** Actual behavior of the runtime, observed or from its source. */
  readonly why: string;
  readonly link: string;
  /** Affected versions, from the first up to but excluding the second; default all. */
  readonly versions?: readonly (readonly [from: string, before: string])[] | undefined;
  /** The deviation depends on timing, so a pass is no surprise. */
  readonly sometimes?: boolean | undefined;
  /** The check would end the runtime, so it does not run. */
  readonly fatal?: boolean | undefined;
}

export interface DeviationProfile {
  readonly name: string;
  readonly deviations: readonly Deviation[];
}

/** The profile's deviation for a check in this version, if any. */
export function deviationFor(
  profile: DeviationProfile,
  checkId: string,
  version: string,
): Deviation | undefined {
  return profile.deviations.find(
    ({ check, versions }) =>
      (check === checkId || checkId.startsWith(`${check}.`)) &&
      (versions === undefined || versions.some((range) => isWithin(version, range))),
  );
}

const isWithin = (version: string, [from, before]: readonly [string, string]): boolean =>
  compare(version, from) >= 0 && compare(version, before) < 0;

/** Compares the numbers of versions such as `v2.1.9+unknown` and `1.7.24~ds1`. */
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
