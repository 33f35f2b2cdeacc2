export const style = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 18%, transparent);
  --good: light-dark(#1a7f37, #3fb950); --bad: light-dark(#cf222e, #ff7b72); --odd: light-dark(#9a6700, #d29922);
  --new: light-dark(#8250df, #bc8cff); --dim: light-dark(#6e7781, #8b949e); }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; padding: 0 1rem; max-width: 100rem; }
h1 { font-size: 1.5rem; margin: 0 0 1rem; }
.controls { display: flex; gap: 1.5rem; flex-wrap: wrap; }
select, input { font: inherit; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-top: 1px solid var(--line); }
thead th { position: sticky; top: 0; background: Canvas; border-bottom: 2px solid var(--line); }
tbody th { font-weight: normal; min-width: 18rem; max-width: 34rem; }
.group th { font-weight: 600; padding-top: 1.25rem; border-top: 0; }
.group th::first-letter { text-transform: uppercase; }
th span, th small { display: block; }
small, em { color: var(--dim); font-size: .8rem; font-weight: normal; font-style: normal; }
em { border: 1px solid var(--line); border-radius: 1em; padding: 0 .5em; }
a { color: inherit; }
.passed { color: var(--good); } .failed, small.failed { color: var(--bad); } .failed summary { font-weight: 600; }
.deviates { color: var(--odd); } .surprise { color: var(--new); } .skipped, .absent { color: var(--dim); }
summary { cursor: pointer; }
details p, details pre { color: CanvasText; max-width: 40rem; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; font-size: .8rem; border-left: 3px solid var(--line); padding-left: .75rem; }
:target th { outline: 2px solid var(--new); }
[hidden] { display: none; }
@media (max-width: 40rem) {
  table, thead, tbody, tr, th, td { display: block; }
  thead th { position: static; } tbody th, td { min-width: 0; max-width: none; overflow-wrap: anywhere; padding-right: 0; }
  td { border-top: 0; }
}
@media print { .controls { display: none; } thead th { position: static; } }
`;

/** Hides rows that do not match the selection, and empty groups. */
export const script = `
const show = document.getElementById('show'), search = document.getElementById('search');
function apply() {
  const words = search.value.toLowerCase();
  for (const body of document.querySelectorAll('tbody')) {
    let any = false;
    for (const row of body.querySelectorAll('tr.check')) {
      const fits = (!show.value || row.classList.contains(show.value)) &&
        (body.firstElementChild.textContent + row.firstElementChild.textContent).toLowerCase().includes(words);
      row.hidden = !fits;
      any ||= fits;
    }
    body.hidden = !any;
  }
}
show.onchange = search.oninput = apply;
`;
