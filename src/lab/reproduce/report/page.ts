import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createVirtualClock } from '../../../base/clock/virtual-clock.js';
import { collectTape } from '../../../tape/collect.js';
import { createTape } from '../../../tape/tape.js';
import { type EmbeddedTape, fillPage, loadPageIfBuilt } from '../../../tape/viewer/document.js';
import { explanationsOf } from '../../scenario/explain/explain.js';
import { simulate } from '../../scenario/simulation/simulate.js';
import { simulationParts } from '../../scenario/simulation/simulation-parts.js';
import type { Cause } from '../cause.js';
import type { Observation } from '../observation.js';
import { seenTape } from './seen-tape.js';

const MOST = 3;

export const CAUSES_PAGE = 'causes.html';

/** Shows the observation above the runs of the best causes. Returns the file; undefined if the build has no page. */
export async function writeCausesPage(
  seen: Observation,
  causes: readonly Cause[],
  directory: string,
): Promise<string | undefined> {
  const page = loadPageIfBuilt();
  if (page === undefined || causes.length === 0) return undefined;
  const shown = causes.slice(0, MOST);
  const tapes: EmbeddedTape[] = [{ name: 'observations', bytes: Buffer.from(seenTape(seen)) }];
  for (const [index, cause] of shown.entries()) tapes.push(await tapeOf(cause, index));
  const none = { findings: [], problems: [] };
  const runs = shown.map(({ run }) => ({ findings: explanationsOf(run), problems: [] }));
  const about = {
    title: 'Observations and possible causes',
    why: shown.map(causeLine).join('\n\n'),
    runs: [none, ...runs],
  };
  const file = join(directory, CAUSES_PAGE);
  await writeFile(file, fillPage(page, { about, tapes }));
  return file;
}

const causeLine = ({ cause, fit, unexplained }: Cause, index: number): string =>
  `${index + 1}. ${cause}: match ${fit.toFixed(2)}${unexplained.length > 0 ? `; no match for: ${unexplained.join('; ')}` : ''}`;

async function tapeOf({ scenario, cause, version }: Cause, index: number): Promise<EmbeddedTape> {
  const tape = createTape(createVirtualClock());
  const collected = collectTape(tape, { kubelet: version, seed: String(scenario.seed) });
  await simulate({ scenario, tape, ...simulationParts });
  return { name: `${index + 1}. ${cause}`, bytes: Buffer.from(collected.text()) };
}
