import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { createRealClock } from '../../src/base/clock/real-clock.js';
import { unsupported } from '../../src/cri/errors.js';
import { type Call, type CriService, criMethods } from '../../src/cri/service.js';
import type { Check } from '../../src/suite/conformance/check.js';
import { exitCodeOf, runConformance, saveReport, Unusable } from '../../src/suite/conformance/index.js';
import { Violation } from '../../src/suite/conformance/violation.js';
import { useTemporaryDirectories } from '../support/temporary.js';
import { isThorough } from '../support/thorough.js';
import { startTestEndpoint, type TestEndpoint } from './test-endpoint.js';

const slow = test.runIf(isThorough);

const { sleep } = createRealClock();
const temporary = useTemporaryDirectories();
const cleanUps: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

/** For endpoints that never reply. */
const QUICK = { patience: 500, timeout: 1500 };
/** For endpoints that reply, however busy the machine is. */
const PATIENT = { patience: 120_000, timeout: 600_000 };

async function startWith(wrap: (service: CriService) => CriService): Promise<TestEndpoint> {
  const made = await startTestEndpoint({ wrap });
  cleanUps.push(made.close);
  return made;
}

/** A server that runs `speak` on each connection. */
async function speaker(speak: (socket: Socket) => void): Promise<string> {
  const path = join(temporary(), 'cri.sock');
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    speak(socket);
  }).listen(path);
  await once(server, 'listening');
  cleanUps.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `unix://${path}`;
}

/** The same reply to every call. */
const everywhere = (answer: () => unknown): CriService =>
  Object.fromEntries(Object.keys(criMethods).map((name) => [name, answer])) as unknown as CriService;

const judge = (endpoint: string, limits = QUICK) => runConformance({ endpoint, ...limits });

describe('an endpoint that cannot be tested is reported immediately', () => {
  test('nobody listens', async () => {
    const endpoint = `unix://${join(temporary(), 'nobody.sock')}`;
    await expect(judge(endpoint, PATIENT)).rejects.toThrow(
      /^Version failed, so this endpoint cannot be tested: UNAVAILABLE/,
    );
  });

  test('it sends garbage', async () => {
    const endpoint = await speaker((socket) =>
      socket.on('data', () => socket.write('HTTP/1.0 what?\r\n\r\n')),
    );
    await expect(judge(endpoint, PATIENT)).rejects.toThrow(Unusable);
  });

  test('it sends nothing', async () => {
    const endpoint = await speaker((socket) => socket.resume());
    await expect(judge(endpoint)).rejects.toThrow(/^Version failed.*DEADLINE_EXCEEDED/);
  });

  test('its replies are not messages', async () => {
    const { endpoint } = await startWith(() => everywhere(() => Buffer.from([0xff, 0xff, 0xff])));
    await expect(judge(endpoint, PATIENT)).rejects.toThrow(/^Version failed/);
  });

  test('it returns UNIMPLEMENTED for every call', async () => {
    const { endpoint } = await startWith(() =>
      everywhere(() => {
        throw unsupported('not here');
      }),
    );
    await expect(judge(endpoint, PATIENT)).rejects.toThrow(/^Version failed.*UNIMPLEMENTED: not here/);
  });

  test('it has the runtime service but no images', async () => {
    const refuse = () => {
      throw unsupported('no images here');
    };
    const { endpoint } = await startWith((service) => ({
      ...service,
      imageStatus: refuse,
      pullImage: refuse,
    }));
    await expect(judge(endpoint, PATIENT)).rejects.toThrow(
      /^no image with a shell is available.*no images here/s,
    );
  });
});

/** Makes every call hang forever once `isOver` returns true. */
function hangWhen(service: CriService, isOver: (name: string, call: Call) => boolean): CriService {
  const entries = Object.entries(service as unknown as Record<string, (...given: unknown[]) => unknown>);
  const hanging = entries.map(([name, serve]) => [
    name,
    criMethods[name as keyof typeof criMethods].responseStream
      ? serve
      : async (request: unknown, call: Call) => {
          if (isOver(name, call))
            await new Promise((_, reject) => call.signal.addEventListener('abort', reject));
          return serve(request, call);
        },
  ]);
  return Object.fromEntries(hanging);
}

slow(
  'a runtime that hangs during the run fails that check, and the rest is skipped with the reason',
  async () => {
    let creates = 0;
    const { endpoint } = await startWith((service) =>
      hangWhen(service, (name) => {
        if (name === 'createContainer') creates++;
        return creates > 10;
      }),
    );
    const report = saveReport(await judge(endpoint));
    const failed = report.results.filter(({ outcome }) => outcome === 'failed');
    const skipped = report.results.filter(({ reason }) =>
      reason?.startsWith('the runtime no longer responds: DEADLINE'),
    );
    expect(failed.length).toBeGreaterThan(0);
    expect(failed.length).toBeLessThan(6);
    expect(skipped.length).toBeGreaterThan(50);
    expect(report.incomplete).toMatch(
      /^\d+ checks were not judged: the runtime no longer responds: DEADLINE/,
    );
    expect(exitCodeOf(report)).toBe(2);
  },
);

// The first checks run alone, later ones in parallel.
slow.each([5, 60])(
  'a runtime that disappears after %i checks judges nothing that its end has hit',
  async (deadAfter) => {
    let results = 0;
    const made = await startWith((service) => service);
    await judgesNothing(made, 'UNAVAILABLE', () => {
      results++;
      if (results === deadAfter) void made.close();
    });
    cleanUps.length = 0;
  },
);

// A call that the end of a runtime hits may end in several ways: some with the connection, some before it.
slow(
  'a runtime whose calls end without a status after 60 checks judges nothing that its end has hit',
  async () => {
    let results = 0;
    const made = await startWith((service) =>
      hangWhen(service, (_, call) => results >= 60 && call.transport?.reset(0) === true),
    );
    await judgesNothing(made, 'INTERNAL: server closed the stream without sending trailers', () => {
      results++;
    });
  },
);

test('a runtime that answers again after a check found it unreachable: the reason stays', async () => {
  let asked: number | undefined;
  const { endpoint } = await startWith((service) => ({
    ...service,
    version: async (request, call) => {
      if (asked === undefined) return service.version(request, call);
      if (++asked === 1) throw unsupported('not now');
      await sleep(200);
      return service.version(request, call);
    },
  }));
  const failing = (id: string): Check => ({
    ...{ id, group: 'sandbox', tag: 'spec', severity: 'lost', rule: 'It fails.', source: 'this test' },
    run: async () => {
      await sleep(50);
      asked ??= 0;
      throw new Violation('nothing', 'something');
    },
  });
  const checks = ['INV-01.a', 'INV-01.b', 'INV-01.c', 'INV-01.d'].map(failing);
  const { incomplete } = saveReport(await runConformance({ endpoint, checks, parallel: 2 }));
  expect(incomplete).toBe('2 checks were not judged: the runtime no longer responds: UNIMPLEMENTED: not now');
});

test('waits for a runtime that is not back when its restart command ends', async () => {
  const target = await startWith((service) => service);
  const focus = /^INV-53|^INV-63.states/;
  let resumed: Promise<void> = Promise.resolve();
  const restart = async () => {
    await target.suspend();
    resumed = sleep(300).then(() => target.resume());
  };
  const { results, incomplete } = saveReport(
    await runConformance({ endpoint: target.endpoint, focus, restart }),
  );
  await resumed;
  expect(results.map(({ id, outcome }) => `${id} ${outcome}`)).toEqual([
    'INV-53.restart passed',
    'INV-63.states passed',
  ]);
  expect(incomplete).toBeUndefined();
});

/** Expects every check that the end of the runtime hits to be skipped; `status` is what begins the reason. */
async function judgesNothing(
  { endpoint }: TestEndpoint,
  status: string,
  onResult: () => void,
): Promise<void> {
  // The limits of the suite: on a busy machine a check takes longer than QUICK allows.
  const report = saveReport(await runConformance({ endpoint, onResult }));
  const gone = `the runtime no longer responds: ${status}`;
  const reasons = new Set(report.results.map(({ reason }) => reason?.slice(0, gone.length)));
  expect(reasons).toContain(gone);
  // What was in progress is not judged either.
  expect(report.results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
  const skipped = report.results.filter(({ reason }) => reason?.startsWith('the runtime no longer responds'));
  expect(report.incomplete).toBe(`${skipped.length} checks were not judged: ${skipped[0]?.reason}`);
  expect(exitCodeOf(report)).toBe(2);
}
