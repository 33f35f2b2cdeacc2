// The pods that were recorded in real time, on kubelet programs on virtual time: what the API shows must be in the
// recording, in this order. The recording has more: it was read from the kubelet itself. Prints a table.
import { builtPrograms } from '../../../../src/kubelet/hosts/virtual/build/cache.js';
import { minorOf } from '../../../../src/kubelet/hosts/virtual/kubelet-program.js';
import type { SimulatedEvent, SimulatedRow } from '../../../../src/lab/scenario/run/run.js';
import { manifestNames, recordedNames } from '../../../support/recordings/names.js';
import { namedPods, recorded, run } from '../../../support/scenario/simulate.js';

const recordings = [
  { version: '1.36.3', names: recordedNames, hasEvents: true },
  { version: '1.37.2', names: manifestNames, hasEvents: false },
] as const;

const rowOf = ({ ready, status, restarts }: SimulatedRow): string => `${ready} ${status} ${restarts}`;
const eventOf = ({ field, type, reason }: SimulatedEvent): string => `${field} ${type} ${reason}`;

/** Items that are out of order in `there`; the last of them may come first. */
function notInOrder(found: readonly string[], there: readonly string[]): string[] {
  let next = 0;
  return found.filter((each) => {
    const at = there.indexOf(each, next);
    if (at >= 0) next = at + 1;
    return at < 0 && next < there.length;
  });
}

/** A cell: the number of items, and those that are out of order. */
function cell(found: readonly string[], there: readonly string[]): string {
  const lost = notInOrder(found, there);
  return `${found.length}${lost.length > 0 ? `, not in order: ${[...new Set(lost)].map((each) => `\`${each}\``).join(', ')}` : ''}`;
}

const programs = builtPrograms().filter(({ program, isCurrent }) => program === 'kubelet' && isCurrent);
console.log('| kubelet | pod | rows | events |\n| --- | --- | --- | --- |');
let compared = 0;
for (const { version, names, hasEvents } of recordings) {
  const program = programs.find((each) => each.version === version)?.file;
  if (program === undefined) continue;
  const kubelet = `kubelet-${version}`;
  const rows = recorded<SimulatedRow>('rows.jsonl', kubelet);
  const events = hasEvents ? recorded<SimulatedEvent>('events.jsonl', kubelet) : [];
  const given = {
    until: '1900s',
    kubelet: { version: minorOf({ path: program, version }) },
    pods: namedPods(names),
  };
  const real = await run(given, { program });
  for (const name of names) {
    const of = <T extends { readonly pod: string }>(all: readonly T[]) =>
      all.filter(({ pod }) => pod === `${name}-mock-node`);
    const shown = cell(of(real.rows).map(rowOf), of(rows).map(rowOf));
    const told = hasEvents ? cell(of(real.events).map(eventOf), of(events).map(eventOf)) : '';
    console.log(`| ${version} | \`${name}\` | ${shown} | ${told} |`);
    compared += of(real.rows).length > 0 ? 1 : 0;
  }
}
process.exit(compared > 0 ? 0 : 1);
