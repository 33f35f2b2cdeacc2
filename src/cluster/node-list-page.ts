import { createHash } from 'node:crypto';
import { counted } from '../base/input/counted.js';
import { escapeMarkup } from '../base/markup/escape.js';
import type { NodeRow } from './describe-node.js';

export function nodeListPage(nodes: readonly NodeRow[]): string {
  const ready = nodes.filter((node) => node.ready === 'Ready').length;
  const pods = nodes.reduce((sum, node) => sum + node.pods, 0);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; connect-src 'self'; style-src ${hashOf(STYLE)}; script-src ${hashOf(SCRIPT)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Nodes</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
<header>
<h1>Nodes</h1>
<p id="summary">${counted(nodes.length, 'node')} · <b class="good">${ready} Ready</b> · ${
    ready === nodes.length ? '' : `<b class="bad">${nodes.length - ready} not ready</b> · `
  }${counted(pods, 'pod')}</p>
<div class="tools">
<input id="filter" type="search" placeholder="Filter by name or state  /" aria-label="Filter by name or state">
<button id="trouble" type="button" aria-pressed="false">Only trouble</button>
</div>
</header>
<main>
<table>
<thead><tr>${COLUMNS.map(([name, kind]) => `<th scope="col" class="${kind}">${name}`).join('')}</thead>
<tbody>
${nodes.map(row).join('\n')}
</tbody>
</table>
<p id="none" hidden>No node fits.</p>
</main>
<script>${SCRIPT}</script>
`;
}

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Headings and classes; what is \`extra\` has no space on a narrow screen. */
const COLUMNS = [
  ['Node', ''],
  ['State', ''],
  ['Pods', 'number'],
  ['Running', 'number extra'],
  ['Exited', 'number extra'],
  ['Restarts', 'number'],
  ['Faults', 'number'],
] as const;

function row({ name, ready, pods, containers, restarts, rules, applied }: NodeRow): string {
  const link = `<a href="/?node=${encodeURIComponent(name)}">${escapeMarkup(name)}</a>`;
  const state = `<span class="state ${ready === 'Ready' ? 'good' : ready === 'Starting' ? 'idle' : 'bad'}">${ready}</span>`;
  const faults =
    rules === 0 ? '–' : `<span class="fault" title="rules: ${rules}, applied: ${applied}">${applied}</span>`;
  const counts = [pods, containers.RUNNING, containers.EXITED].map(String);
  const again = restarts === 0 ? '0' : `<b class="warn">${restarts}</b>`;
  const cells = [link, state, ...counts, again, faults];
  const isTrouble = ready !== 'Ready' || restarts > 0 || rules > 0;
  return `<tr${isTrouble ? ' data-trouble' : ''}>${cells
    .map((cell, index) => `<td class="${COLUMNS[index]?.[1] ?? ''}">${cell}`)
    .join('')}`;
}

/** Colors are those of the timeline (src/tape/viewer/page/style.css), in light or dark mode. */
const STYLE = `
:root { color-scheme: light dark; --back: light-dark(#ffffff, #10151c); --stripe: light-dark(#f5f7fa, #161d26);
  --grid: light-dark(#dce1e8, #2a3643); --text: light-dark(#18202b, #e6ebf2); --muted: light-dark(#566274, #9aa8b9);
  --accent: light-dark(#1554c0, #78acff); --good: light-dark(#1d7544, #3fbf77); --bad: light-dark(#b92f2f, #f58585);
  --warn: light-dark(#8a5300, #eba63a); --fault: light-dark(#8a2fc2, #c78cf2); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 14px/1.45 ui-sans-serif, system-ui, sans-serif; }
header { padding: 10px 14px 8px; border-bottom: 1px solid var(--grid); position: sticky; top: 0; background: var(--back); }
h1 { font-size: 17px; margin: 0; font-weight: 650; display: inline-block; }
#summary { display: inline-block; margin: 0 0 8px 12px; color: var(--muted); }
#none { padding: 0 14px; color: var(--muted); }
.tools { display: flex; gap: 6px; }
input, button { font: inherit; font-size: 13px; color: var(--text); background: var(--stripe); border: 1px solid var(--grid);
  border-radius: 6px; padding: 4px 9px; min-height: 28px; }
input { flex: 0 1 320px; min-width: 0; }
button { cursor: pointer; }
button:hover { border-color: var(--accent); }
button[aria-pressed="true"] { background: var(--accent); border-color: var(--accent); color: var(--back); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 6px 14px; border-bottom: 1px solid var(--grid); overflow-wrap: anywhere; }
th { color: var(--muted); font-weight: 600; font-size: 12.5px; }
tbody tr:hover { background: var(--stripe); }
.number { text-align: right; }
a { color: var(--accent); text-decoration: none; font-weight: 600; }
a:hover { text-decoration: underline; }
.state { border-left: 3px solid var(--muted); padding-left: 8px; }
.state.good { border-color: var(--good); } .state.bad { border-color: var(--bad); }
b.good { color: var(--good); } b.bad, .state.bad { color: var(--bad); } b.warn { color: var(--warn); }
.fault { color: var(--fault); font-weight: 600; }
[hidden] { display: none; }
@media (max-width: 820px) { th, td { padding: 6px 8px; } .extra { display: none; } header { padding: 8px 10px 6px; } #summary { display: block; margin: 2px 0 6px; } input { flex: 1; } }
`;

/** Hides filtered rows, and reloads the data every few seconds. */
const SCRIPT = `
const filter = document.getElementById('filter'), trouble = document.getElementById('trouble');
function apply() {
  const words = filter.value.toLowerCase().split(/\\s+/), only = trouble.getAttribute('aria-pressed') === 'true';
  let shown = 0;
  for (const row of document.querySelectorAll('tbody tr')) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every((word) => text.includes(word)) || (only && row.dataset.trouble === undefined);
    if (!row.hidden) shown++;
  }
  document.getElementById('none').hidden = shown > 0;
}
filter.oninput = apply;
trouble.onclick = () => {
  trouble.setAttribute('aria-pressed', String(trouble.getAttribute('aria-pressed') !== 'true'));
  apply();
};
onkeydown = (event) => {
  if (event.key !== '/' || event.target === filter) return;
  event.preventDefault();
  filter.focus();
};
async function look() {
  if (document.hidden) return;
  const page = await fetch(location.href).then((reply) => (reply.ok ? reply.text() : undefined), () => undefined);
  if (page === undefined) return;
  const fresh = new DOMParser().parseFromString(page, 'text/html');
  for (const part of ['tbody', '#summary']) {
    const [old, now] = [document.querySelector(part), fresh.querySelector(part)];
    if (old && now && old.innerHTML !== now.innerHTML) old.replaceWith(now);
  }
  apply();
}
if (location.protocol.startsWith('http')) setInterval(look, 5000);
`;
