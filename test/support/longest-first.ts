import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Seconds of each file that takes one or more, on one machine: `MEASURE=1 npm test` writes it. */
export const measured: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(new URL('seconds.json', import.meta.url), 'utf8'),
);

/** Runs the slowest files first, so that none runs alone at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds = ({ moduleId }: TestSpecification) => measured[relative('.', moduleId)] ?? 0;
    const sorted = await super.sort(files);
    return sorted.sort((one, other) => seconds(other) - seconds(one));
  }
}
