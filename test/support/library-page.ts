import { basename } from 'node:path';
import type { LoadedScenario } from '../../src/scenario/loaded-scenario.js';
import { runsOf } from '../../src/scenario/variants.js';

const HEAD = `# Incidents

These scenarios come with Mockri. Each reproduces a problem that users meet on nodes. It runs in virtual time, takes
about a second and always gives the same result. \`--explain\` prints the symptom, the cause and the remedy, and explains
each restart:

    npx mockri simulate --list
    npx mockri simulate runtime-hang --explain

This page is generated from the files in \`scenarios/\`. \`scenarios/golden/\` has the complete result of each scenario.
The [glossary](glossary.md) defines all terms. The most frequent ones:

- **CRI**: Container Runtime Interface, the API between kubelet and runtime.
- **Sandbox**: the environment that the containers of a pod share.
- **PLEG**: pod lifecycle event generator, the part of the kubelet that detects changes of containers. The generic PLEG
  relists; the evented PLEG (feature gate EventedPLEG) reads events from the runtime.
- **Relist**: one poll of the runtime by the PLEG.
- **Sync**: one pass of the kubelet over a pod, which acts on differences between the wanted and the actual state.
- **Worker**: the loop in the kubelet that runs the syncs of one pod.
`;

/** The contents: one link per scenario, with GitHub's anchor of its heading. */
const contents = (scenarios: readonly LoadedScenario[]): string =>
  scenarios.map(({ title }) => `- [${title}](#${anchorOf(title)})`).join('\n');

const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** The page about the bundled scenarios (docs/incidents.md). */
export function libraryPage(scenarios: readonly LoadedScenario[]): string {
  return [HEAD, `${contents(scenarios)}\n`, ...scenarios.map(section)].join('\n');
}

function section(scenario: LoadedScenario): string {
  const { title, see, why, fix, file } = scenario;
  const name = basename(file).replace(/\.ya?ml$/, '');
  const runs = runsOf(scenario).map((run) => run.name);
  return [
    `## ${title}`,
    '',
    `\`npx mockri simulate ${name}\` (${runs.join(', ')})`,
    '',
    paragraph('What you see', see),
    paragraph('Why', why),
    paragraph('What to do', fix),
  ].join('\n');
}

const paragraph = (head: string, text: string): string => `**${head}.** ${text.trim()}\n`;
