import { basename } from 'node:path';
import type { LoadedScenario } from '../../src/scenario/load.js';
import { runsOf } from '../../src/scenario/variants.js';

const HEAD = `# Incidents

What people meet on nodes, as scenarios that come with mockri. Each runs on virtual time in about a second, always in
the same way, and \`--explain\` says why things went as they did:

    mockri simulate --list
    mockri simulate runtime-hang --explain

This page is made from the files in \`scenarios/\`; \`scenarios/golden/\` has what happens in each, to the millisecond.
`;

/** The page about the scenarios that come with the program (docs/incidents.md). */
export function libraryPage(scenarios: readonly LoadedScenario[]): string {
  return [HEAD, ...scenarios.map(section)].join('\n');
}

function section(scenario: LoadedScenario): string {
  const { title, see, why, fix, file } = scenario;
  const name = basename(file).replace(/\.ya?ml$/, '');
  const runs = runsOf(scenario).map((run) => run.name);
  return [
    `## ${title}`,
    '',
    `\`mockri simulate ${name}\` (${runs.join(', ')})`,
    '',
    paragraph('What you see', see),
    paragraph('Why', why),
    paragraph('What to do', fix),
  ].join('\n');
}

const paragraph = (head: string, text: string): string => `**${head}.** ${text.trim()}\n`;
