import { type Check, invariantOf } from '../../src/suite/conformance/check.js';
import type { Need } from '../../src/suite/conformance/facts.js';
import {
  groups,
  severities,
  severityWords,
  type Tag,
  tags,
  type Upstream,
} from '../../src/suite/conformance/rules.js';
import type { Deviation } from '../../src/suite/deviations/deviation.js';
import { deviationsOf, type ProfileName, profileNames } from '../../src/suite/deviations/index.js';

const TAGS: Readonly<Record<Tag, string>> = {
  spec: 'stated by api.proto',
  common: 'true of containerd and CRI-O, and clients rely on it',
  strict: 'not stated anywhere, but clients must assume it; a careful runtime keeps it',
};

const NEEDS: Readonly<Record<Need, string>> = {
  events: '`GetContainerEvents`',
  'forced removal': 'removal of running containers and sandboxes',
  'streaming lists': 'the `Stream…` RPCs',
  metrics: '`ListMetricDescriptors`',
  'pod stats': '`PodSandboxStats`',
  'update resources': '`UpdateContainerResources`',
  'update pod resources': '`UpdatePodSandboxResources`',
  'checkpoint container': '`CheckpointContainer`',
  'checkpoint pod': '`CheckpointPod`',
  'network ready': '`NetworkReady` to be true',
  'supplemental groups policy': '`supplemental_groups_policy` in `Status`',
  'user namespaces': '`user_namespaces` of the default handler in `Status`',
  'recursive read-only': '`recursive_read_only_mounts` of the default handler in `Status`',
  'restart command': '`--restart-command`',
  'control url': '`--control`',
};

export function catalogPage(checks: readonly Check[]): string {
  const invariants = new Set(checks.map(({ id }) => invariantOf(id)));
  return `# Invariants

Clients of the Container Runtime Interface (CRI) can rely on these ${invariants.size} invariants. \`npx mockri conformance\` tests them
with ${checks.length} checks; [Conformance](../conformance.md) describes how to run it. A sandbox is the environment that the containers of a
pod share. PLEG, the pod lifecycle event generator, is the part of the kubelet that detects changes of containers.
This page is generated from the checks (\`npm run gen:invariants\`).

${tags.map((tag) => `- **${tag}**: ${TAGS[tag]}.`).join('\n')}

How much it matters that a rule is broken:

${severities.map((severity) => `- **${severity}**: ${severityWords[severity]}.`).join('\n')}

${[...groups.map(headingOf), 'Known deviations'].map((heading) => `- [${heading}](#${anchorOf(heading)})`).join('\n')}

${groups.map((group) => section(group, checks)).join('\n')}
## Known deviations

The known deviations of each runtime, by profile.

${profileNames.flatMap(deviationSection).join('\n')}`;
}

const headingOf = (group: Check['group']): string => `${group[0]?.toUpperCase()}${group.slice(1)}`;

const anchorOf = (heading: string): string => heading.toLowerCase().replaceAll(' ', '-');

function section(group: Check['group'], checks: readonly Check[]): string {
  const rows = checks.filter((check) => check.group === group).sort((a, b) => (a.id < b.id ? -1 : 1));
  return `## ${headingOf(group)}\n\n${rows.map(entry).join('\n')}\n`;
}

function entry({ id, tag, severity, rule, source, needs, upstream }: Check): string {
  const wants = needs?.length ? ` Needs ${needs.map((need) => NEEDS[need]).join(' and ')}.` : '';
  const fixes = upstream?.map((number) => `[${number}](${linkOf(number)})`).join(', ');
  const bugs = fixes === undefined ? '' : ` Finds ${fixes}.`;
  return `- **${id}** (${tag}, ${severity}): ${rule}\n  From: ${source}.${wants}${bugs}`;
}

function deviationSection(name: ProfileName): string[] {
  const { deviations } = deviationsOf(name);
  if (deviations.length === 0) return [];
  return [`### ${name}\n\n${deviations.map(deviationEntry).join('\n')}\n`];
}

function deviationEntry({ check, why, link, versions, sometimes }: Deviation): string {
  const ranges = versions?.map(describeRange).join(', ');
  const when = [ranges, sometimes ? 'not always' : undefined].filter((part) => part !== undefined);
  return `- **${check}**: ${why}${when.length > 0 ? ` (${when.join('; ')})` : ''}. [Source](${link})`;
}

function describeRange([from, before]: readonly [string, string]): string {
  if (before === '999') return `since ${from}`;
  return from === '0' ? `before ${before}` : `from ${from} to before ${before}`;
}

const REPOSITORIES: Readonly<Record<string, string>> = {
  containerd: 'https://github.com/containerd/containerd',
  'cri-o': 'https://github.com/cri-o/cri-o',
};

function linkOf(upstream: Upstream): string {
  const [runtime = '', number] = upstream.split('#');
  return `${REPOSITORIES[runtime]}/pull/${number}`;
}
