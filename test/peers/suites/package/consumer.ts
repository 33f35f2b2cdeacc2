// A user's program: run.sh compiles it against the packed package, in strict mode.
import { allChecks, type Report, runConformance, saveReport, toJunit } from 'mockri/conformance';
import { loadScenario, runScenario, type ScenarioResult, startKubelet } from 'mockri/simulation';
import { diffTapes, type Entry, type Finding, judgeTape, openTape } from 'mockri/tape';
import { type CallRecord, type Mockri, startMockri } from 'mockri/testing';

export async function testKit(): Promise<readonly CallRecord[]> {
  await using mockri: Mockri = await startMockri({ clock: 'virtual', profile: 'containerd-2.4' });
  mockri.fault('StartContainer').pod('web-*').once().error('UNAVAILABLE');
  await using kubelet = await startKubelet({ runtime: mockri.client, clock: mockri.clock, version: '1.36' });
  await mockri.advance('10m');
  const restarts: number[] = kubelet.rows.map(({ restarts }) => restarts);
  // @ts-expect-error: no RPC has this name
  mockri.calls({ method: 'StartContainers' });
  return restarts.length > 0 ? mockri.calls({ method: 'StartContainer' }) : [];
}

export async function scenarios(file: string): Promise<readonly string[]> {
  const results: readonly ScenarioResult[] = await runScenario(await loadScenario(file), { seed: 7 });
  // @ts-expect-error: a row has no such field
  const wrong = results[0]?.run.rows[0]?.phase;
  return [...results.flatMap(({ problems }) => problems), String(wrong)];
}

export async function tapes(one: string, other: string): Promise<readonly Finding[]> {
  for await (const { entry } of (await openTape(one)).entries) {
    const kind: Entry['kind'] = entry.kind;
    if (entry.kind === 'call') console.log(kind, entry.method, entry.message.json());
  }
  console.log((await diffTapes(await openTape(one), await openTape(other))).differences.length);
  return (await judgeTape(await openTape(one))).findings;
}

export async function conformance(endpoint: string): Promise<string> {
  const report: Report = await runConformance({ endpoint });
  console.log(allChecks.length);
  return toJunit(saveReport(report));
}
