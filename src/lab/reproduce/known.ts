import { z } from 'zod';
import { packageData } from '../../base/input/package-data.js';

const knownSchema = z.array(
  z.strictObject({
    cause: z.string(),
    scenario: z.string(),
    /** For example `kubernetes #121003`; empty without an issue. */
    issues: z.array(z.string()),
  }),
);

/** Incidents (docs/incidents.md) by cause. */
export const knownIncidents = () => packageData('src/lab/reproduce/known.json', knownSchema);

export const incidentsOf = (causes: readonly string[]) =>
  knownIncidents()
    .filter(({ cause }) => causes.includes(cause))
    .map(({ scenario, issues }) => ({ scenario, issues }));
