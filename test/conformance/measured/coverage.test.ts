import { beforeAll, describe, expect, test } from 'vitest';
import { invariantOf } from '../../../src/suite/conformance/check.js';
import { allChecks, runConformance } from '../../../src/suite/conformance/index.js';
import { sentences } from '../../../src/suite/conformance/sentences.js';
import { isThorough } from '../../support/thorough.js';
import { startTestEndpoint } from '../test-endpoint.js';
import { rpcs, statements } from './api-text.js';
import { recordCoverage, type Uses } from './coverage-recorder.js';
import { fieldKeys, fieldsPage } from './pages.js';

describe('the sentences of api.proto', () => {
  test('are exactly those of the list', () => {
    const listed = sentences().map(({ item, text }) => `${item}: ${text}`);
    const said = statements().map(([item, text]) => `${item}: ${text}`);
    expect(listed.toSorted()).toEqual(said.toSorted());
  });

  test('each has existing checks, or a reason', () => {
    const known = new Set(allChecks.flatMap(({ id }) => [id, invariantOf(id)]));
    const named = sentences().flatMap(({ checks }) => checks);
    expect(named.filter((id) => !known.has(id))).toEqual([]);
  });

  test('each RPC has a sentence with a check', () => {
    const held = new Set(sentences().flatMap(({ item, checks }) => checks.map(() => item)));
    expect(rpcs.map(({ name }) => name).filter((name) => !held.has(name))).toEqual([]);
  });
});

// A whole run.
describe.runIf(isThorough)('a run of the suite', () => {
  let uses: Uses;

  beforeAll(async () => {
    const coverage = recordCoverage();
    uses = coverage.uses;
    const target = await startTestEndpoint();
    try {
      // One at a time: lists also have what other checks make.
      await runConformance({ ...target, parallel: 1, recorder: coverage.recorder });
    } finally {
      await target.close();
    }
  });

  test('calls each RPC in a check', () => {
    expect(rpcs.map(({ name }) => name).filter((name) => !uses.has(name))).toEqual([]);
    const page = fieldsPage(uses);
    expect(fieldKeys.filter((key) => !page.includes(`\`${key.split(' ')[1]}\``))).toEqual([]);
  });
});
