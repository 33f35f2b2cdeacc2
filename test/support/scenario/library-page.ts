import { basename } from 'node:path';
import type { LoadedScenario } from '../../../src/lab/scenario/file/loaded-scenario.js';
import { runsOf } from '../../../src/lab/scenario/file/variants.js';

/** Authors write the page up to this line, and the rest is generated. */
const MARK = /<!-- All below this line is generated.*-->\n/;

/** Renders the page about the bundled scenarios (docs/incidents.md) from the previous one. */
export function libraryPage(scenarios: readonly LoadedScenario[], before: string): string {
  const end = MARK.exec(before);
  if (end === null) throw new Error('the page has no line where the generated part begins');
  const head = before.slice(0, end.index + end[0].length);
  return [head, ...scenarios.map(line), ''].join('\n');
}

function line(scenario: LoadedScenario): string {
  const name = basename(scenario.file).replace(/\.ya?ml$/, '');
  const runs = runsOf(scenario).map((run) => run.name);
  return `- \`${name}\` (${runs.join(', ')}): ${scenario.title}`;
}
