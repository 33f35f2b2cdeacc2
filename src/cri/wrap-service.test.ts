import { expect, test } from 'vitest';
import { allMethods } from './methods.js';
import { ownCall } from './own-call.js';
import type { CriService } from './service.js';
import { createService, wrapService } from './wrap-service.js';

/** Answers with the name of the function that was called, and counts on its own `this`. */
function namingService(): CriService {
  const made = createService({
    unary: ({ key }) =>
      function (this: CriService) {
        return { key, isBound: this === made };
      },
    stream: ({ key }) =>
      async function* (this: CriService) {
        yield { key, isBound: this === made };
      },
  });
  return made;
}

test('every function of a wrapped service goes through the wrapper of its kind, to its own function', async () => {
  const seen: string[] = [];
  const wrapped = wrapService(namingService(), {
    unary: (method, work) => (request, call) => {
      seen.push(`unary ${method.name}`);
      return work(request, call);
    },
    stream: (method, work) => (request, call) => {
      seen.push(`stream ${method.name}`);
      return work(request, call);
    },
  });
  const answers: unknown[] = [];
  for (const { key, stream } of allMethods) {
    const work = wrapped[key] as (request: object, call: object) => unknown;
    const answer = work({}, ownCall());
    if (stream) for await (const message of answer as AsyncIterable<unknown>) answers.push(message);
    else answers.push(await answer);
  }
  expect(seen).toEqual(allMethods.map(({ name, stream }) => `${stream ? 'stream' : 'unary'} ${name}`));
  expect(answers).toEqual(allMethods.map(({ key }) => ({ key, isBound: true })));
  expect(Object.keys(wrapped)).toEqual(allMethods.map(({ key }) => key));
});
