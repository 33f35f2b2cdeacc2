import { createRealClock } from '../../src/base/clock/real-clock.js';
import { connectCri } from '../../src/cri/client/connect.js';
import { type DiffOptions, diffRuntimes } from '../../src/suite/diff/diff.js';
import type { DiffReport } from '../../src/suite/diff/report.js';
import type { Decoded } from '../conformance/decoded.js';
import { decode } from '../conformance/decoded.js';
import { startTestEndpoint } from '../conformance/test-endpoint.js';

export const IMAGE = 'registry.k8s.io/e2e-test-images/busybox:1.29-2';

export type Mutate = (real: Decoded) => Partial<Decoded>;

let runs = 0;

/** Compares the memory backend with a changed copy of it. */
export async function diffWith(
  mutate: Mutate,
  directory: string,
  options: Partial<DiffOptions> = {},
): Promise<DiffReport> {
  const targets = [
    await startTestEndpoint(),
    await startTestEndpoint({
      wrap: (service) => {
        const real = decode(service);
        return { ...real, ...mutate(real) };
      },
    }),
  ] as const;
  const connections = targets.map(({ endpoint }) => connectCri(endpoint));
  const [left, right] = connections as [(typeof connections)[0], (typeof connections)[0]];
  try {
    for (const cri of connections) await cri.pullImage({ image: { image: IMAGE } });
    const report = await diffRuntimes({
      left: { name: 'plain', cri: left },
      right: { name: 'changed', cri: right },
      seed: 1,
      sequences: 60,
      parallel: 8,
      subscribers: false,
      known: [],
      image: IMAGE,
      directory,
      run: `t${++runs}`,
      clock: createRealClock(),
      timeout: 5000,
      signal: new AbortController().signal,
      ...options,
    });
    const lists = await Promise.all(connections.map((cri) => cri.listPodSandbox({})));
    return {
      ...report,
      leftovers: [...report.leftovers, ...lists.flatMap(({ items }) => items.map(({ id }) => id))],
    };
  } finally {
    for (const connection of connections) connection.close();
    for (const target of targets) await target.close();
  }
}
