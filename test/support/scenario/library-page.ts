import { basename } from 'node:path';
import type { LoadedScenario } from '../../../src/lab/scenario/file/loaded-scenario.js';
import { runsOf } from '../../../src/lab/scenario/file/variants.js';

/** The page is written up to this line, and generated from there on. */
const MARK = /<!-- All below this line is generated.*-->\n/;

/** The contents: one link per scenario, with GitHub's anchor of its heading. */
const contents = (scenarios: readonly LoadedScenario[]): string =>
  scenarios.map(({ title }) => `- [${title}](#${anchorOf(title)})`).join('\n');

const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** The page about the bundled scenarios (docs/incidents.md), from the one before. */
export function libraryPage(scenarios: readonly LoadedScenario[], before: string): string {
  const end = MARK.exec(before);
  if (end === null) throw new Error('the page has no line where the generated part begins');
  const head = before.slice(0, end.index + end[0].length);
  return [head, `${contents(scenarios)}\n`, ...scenarios.map(section)].join('\n');
}

function section(scenario: LoadedScenario): string {
  const { title, see, why, fix, file } = scenario;
  const name = basename(file).replace(/\.ya?ml$/, '');
  const runs = runsOf(scenario).map((run) => run.name);
  return [
    `### ${title}`,
    '',
    `\`npx mockri simulate ${name}\` (${runs.join(', ')})`,
    '',
    paragraph('What you see', see),
    paragraph('Why', why),
    paragraph('What to do', fix),
  ].join('\n');
}

const paragraph = (head: string, text: string): string => `**${head}.** ${text.trim()}\n`;
