import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Section, SIXTEEN, VERSION } from '../context.js';
import { byTurns } from '../support/turns.js';

/** Rules for other RPCs; they should cost only a lookup by method. */
const RULES = 100;

/** Cost of the fault layer without rules, and with rules for other calls. */
export const faults: Section = {
  name: 'faults',
  title: `Version with the fault layer, compared with a server without it; and with ${RULES} rules for other RPCs`,
  async run({ servers, drive }) {
    const directory = await mkdtemp(join(tmpdir(), 'mockri-bench-faults-'));
    const file = join(directory, 'faults.json');
    const rules = Array.from({ length: RULES }, (_, index) => ({
      name: `rule-${index}`,
      match: { method: 'StartContainer', pod: { name: `web-${index}` } },
      then: { error: { code: 'UNAVAILABLE' } },
    }));
    await writeFile(file, JSON.stringify({ version: 1, faults: rules }));
    const load = { path: VERSION, request: new Uint8Array(), calls: 40_000, ...SIXTEEN };
    const [without, layered] = [await servers.layer('without'), await servers.layer('with')];
    const layer = await byTurns(
      () => drive({ ...load, socket: without.socket }),
      () => drive({ ...load, socket: layered.socket }),
    );
    await servers.stopAll();
    const [plain, ruled] = [await servers.real(), await servers.real('--faults', file)];
    const rates = await byTurns(
      () => drive({ ...load, socket: plain.socket }),
      () => drive({ ...load, socket: ruled.socket }),
    );
    await servers.stopAll();
    await rm(directory, { recursive: true });
    return [
      { name: 'without the layer', value: layer.base, unit: 'calls/s' },
      { name: 'with the layer', value: layer.measured, unit: 'calls/s' },
      { name: 'with / without the layer', value: layer.ratio, unit: '', aim: { atLeast: 0.95 } },
      { name: 'without a rule', value: rates.base, unit: 'calls/s' },
      { name: `with ${RULES} rules`, value: rates.measured, unit: 'calls/s' },
      { name: 'with / without rules', value: rates.ratio, unit: '', aim: { atLeast: 0.95 } },
    ];
  },
};
