import { readFileSync } from 'node:fs';

interface SpecReport {
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeType: string;
  readonly LeafNodeText: string;
  readonly State: string;
  readonly Failure?: { readonly Message: string };
}

/** The result of a spec. */
export interface Result {
  readonly name: string;
  readonly state: 'passed' | 'skipped' | 'failed';
  readonly message: string;
}

/** The specs of critest's JSON report (ginkgo's types.Report) that ran. */
export function readReport(path: string): readonly Result[] {
  const suites = JSON.parse(readFileSync(path, 'utf8')) as { SpecReports: SpecReport[] | null }[];
  return suites
    .flatMap(({ SpecReports }) => SpecReports ?? [])
    .filter(({ LeafNodeType }) => LeafNodeType === 'It')
    .map(({ ContainerHierarchyTexts, LeafNodeText, State, Failure }): Result => {
      const state = State === 'passed' || State === 'skipped' ? State : 'failed';
      const name = [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(' ');
      return { name, state, message: Failure?.Message ?? '' };
    })
    .filter(({ state, message }) => state !== 'skipped' || message !== ''); // Others are excluded by a filter.
}

/**
 * A list of specs by name, with the reason why they are in it: an unindented line is the reason for the indented lines
 * after it.
 */
export function readExpected(path: string): ReadonlyMap<string, string> {
  const reasons = new Map<string, string>();
  let reason = '';
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line.startsWith('#') || line.trim() === '') continue;
    if (!line.startsWith(' ')) reason = line.trim();
    else reasons.set(line.trim(), reason);
  }
  return reasons;
}
