import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The folders whose files take the longest, first. */
const LONG = [
  '/test/explore/',
  '/test/conformance/',
  '/test/diff/',
  '/test/hostile/',
  '/test/package/',
  '/test/',
];

/** Runs the files that take the longest first, so that none of them is left alone at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const found = LONG.findIndex((folder) => moduleId.includes(folder));
      return found < 0 ? LONG.length : found;
    };
    const sorted = await super.sort(files);
    return sorted.sort((one, other) => rank(one) - rank(other));
  }
}
