import { escapeMarkup } from '../markup/escape.js';
import type { NodeDescription } from './describe-node.js';

/** A page with all nodes of a process, each with a link to its timeline. */
export function nodeListPage(nodes: readonly NodeDescription[]): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Nodes</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
<h1>${nodes.length} nodes</h1>
<p>A node’s name leads to its timeline.</p>
<table>
<thead><tr>${COLUMNS.map((column) => `<th scope="col">${column}`).join('')}</thead>
<tbody>
${nodes.map(row).join('\n')}
</tbody>
</table>
`;
}

const COLUMNS = ['Node', 'Kubelet', 'Pods', 'Running containers', 'Exited containers'];

function row({ name, kubelet, pods, containers }: NodeDescription): string {
  const link = `<a href="/?node=${encodeURIComponent(name)}">${escapeMarkup(name)}</a>`;
  return `<tr>${[link, kubelet, pods, containers.RUNNING, containers.EXITED].map((cell) => `<td>${cell}`).join('')}`;
}

/** It follows the reader's light or dark mode. */
const STYLE = `
:root { color-scheme: light dark; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; padding: 0 1rem; max-width: 60rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .35rem .75rem .35rem 0; border-top: 1px solid color-mix(in srgb, currentColor 18%, transparent); }
`;
