import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Section, SIXTEEN, VERSION } from '../context.js';
import { byTurns } from '../support/turns.js';

/** Rules about other RPCs: what they may cost is a look-up by method. */
const RULES = 100;

/** What fault rules cost the calls that they are not about; what none costs is in the section on Version. */
export const faults: Section = {
  name: 'faults',
  title: `Version with ${RULES} fault rules about other RPCs, beside the same server without a rule`,
  async run({ servers, drive }) {
    const directory = await mkdtemp(join(tmpdir(), 'mockri-bench-faults-'));
    const file = join(directory, 'faults.json');
    const rules = Array.from({ length: RULES }, (_, index) => ({
      name: `rule-${index}`,
      match: { method: 'StartContainer', pod: { name: `web-${index}` } },
      then: { error: { code: 'UNAVAILABLE' } },
    }));
    await writeFile(file, JSON.stringify({ version: 1, faults: rules }));
    const [plain, ruled] = [await servers.real(), await servers.real('--faults', file)];
    const load = { path: VERSION, request: new Uint8Array(), calls: 40_000, ...SIXTEEN };
    const rates = await byTurns(
      () => drive({ ...load, socket: plain.socket }),
      () => drive({ ...load, socket: ruled.socket }),
    );
    await servers.stopAll();
    await rm(directory, { recursive: true });
    return [
      { name: 'without a rule', value: rates.base, unit: 'calls/s' },
      { name: `with ${RULES} rules`, value: rates.measured, unit: 'calls/s' },
      { name: 'with / without', value: rates.ratio, unit: '' },
    ];
  },
};
