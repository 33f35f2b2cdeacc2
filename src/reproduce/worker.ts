import { parentPort, workerData } from 'node:worker_threads';
import { config as configureZod } from 'zod';
import { answerOf } from '../explore/pool/threads.js';
import { createEvaluate, type Subject, type Trial } from './search/evaluate.js';

// The thread of a pool: one trial after the other.
configureZod({ jitless: true });
const evaluate = createEvaluate(workerData as Subject);

parentPort?.on('message', async (trial: Trial) => {
  parentPort?.postMessage(await answerOf(() => evaluate(trial)));
});
