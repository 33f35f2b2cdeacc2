import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTemporaryDirectory } from '../../../test/support/temporary.js';
import { simulationParts } from '../../lab/scenario/simulation/simulation-parts.js';
import { runScenarios } from './simulate/run-scenarios.js';
import { criteriaReport, suiteFiles } from './suite.js';

const directory = useTemporaryDirectory();

const criterion = (title: string, restarts: number) => `
version: 1
title: ${title}
until: 5s
pods:
  - manifest: { apiVersion: v1, kind: Pod, metadata: { name: web }, spec: { containers: [{ name: app, image: x }] } }
    behaviors: { app: run }
expect: { lastRow: { pod: web, restarts: ${restarts} } }
`;

test('a suite is a directory of scenarios, and each is a criterion', async () => {
  await writeFile(join(directory, 'a.yaml'), criterion('It runs', 0));
  await writeFile(join(directory, 'b.yaml'), criterion('It restarts', 1));
  const [out, err]: [string[], string[]] = [[], []];
  const lines = { out: (line: string) => void out.push(line), err: (line: string) => void err.push(line) };
  const parts = { ...simulationParts, report: criteriaReport('mine') };
  expect(await runScenarios(suiteFiles(directory), {}, parts, lines)).toBe(1);
  expect(out).toEqual([
    'RESULT   CRITERION    SCENARIO  RUN           SEED',
    'met      It runs      a.yaml    kubelet 1.37  1',
    'NOT MET  It restarts  b.yaml    kubelet 1.37  1',
    'mine: 1 of 2 criteria are met (kubelet: simulated)',
  ]);
  expect(err.join()).toContain('last row of pod web');
});

test('an unknown suite names the bundled ones', () => {
  expect(() => suiteFiles('evented-plag')).toThrow(
    'evented-plag: no directory or suite has this name; did you mean "evented-pleg"?',
  );
});
