import { expect, test } from 'vitest';
import { readTape } from '../../../tape/viewer/model/reader.js';
import type { Observation } from '../observation.js';
import { seenTape } from './seen-tape.js';

const span = (from: number, to = from) => ({ from, to });
const row = (time: ReturnType<typeof span> | undefined, status: string) => ({
  ...{ pod: 'web', ready: '0/1', status, restarts: 0, time },
});

test('what was seen is a tape that the page can show: rows in their order, events, ends and states of the node', () => {
  const seen: Observation = {
    rows: [row(span(0), 'Pending'), row(undefined, 'ContainerCreating'), row(span(10, 12), 'Error')],
    events: [
      {
        ...{ pod: 'web', type: 'Warning', reason: 'BackOff', message: 'Back-off', count: 3 },
        ...{ time: span(30), first: span(12) },
      },
    ],
    nodes: [{ isReady: false, message: 'PLEG is not healthy', time: span(20) }],
    log: [{ kind: 'PLEG is not healthy', time: span(20) }],
    containers: [],
    ends: [{ pod: 'web', container: 'app', exitCode: 1, reason: 'Error', ran: 3, time: span(10) }],
    deleted: [],
    end: 30,
    begin: 0,
    shift: 0,
    version: undefined,
    runtime: undefined,
    isPlaced: true,
    isExcerpt: false,
  };
  const { timeline, problem } = readTape('seen', seenTape(seen));
  expect(problem).toBeUndefined();
  const rows = timeline.lanes.find(({ kind }) => kind === 'row')?.items ?? [];
  expect(rows.map(({ t }) => t / 1e9)).toEqual([0, 0, 11]);
  expect(timeline.lanes.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['row', 'event', 'node', 'container', 'log']),
  );
});
