import { parentPort, workerData } from 'node:worker_threads';
import { config as configureZod } from 'zod';
import { answerOf } from '../explore/pool/threads.js';
import { createEvaluate, type PlannedRun, type SearchInput } from './search/evaluate.js';

configureZod({ jitless: true });
const evaluate = createEvaluate(workerData as SearchInput);

parentPort?.on('message', async (planned: PlannedRun) => {
  parentPort?.postMessage(await answerOf(() => evaluate(planned)));
});
