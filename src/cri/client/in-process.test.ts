import { expect, test } from 'vitest';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import { type CriService, criMethods } from '../service.js';
import { clientOf } from './in-process.js';

test('a request arrives once everybody has done what they can without it, in the order of the calls', async () => {
  const clock = createVirtualClock();
  const order: string[] = [];
  const cri = clientOf(serviceThatTells(order), { clock, codeOf: () => 2 });
  const others = async () => {
    for (let step = 1; step <= 20; step++) await step;
    order.push('others');
  };

  const events = cri.getContainerEvents({})[Symbol.asyncIterator]();
  await clock.run(() =>
    Promise.all([cri.version({ version: '' }), events.next(), cri.status({ verbose: false }), others()]),
  );

  expect(order).toEqual(['others', 'version', 'getContainerEvents', 'status']);
});

/** Every RPC is answered at once with nothing. */
function serviceThatTells(order: string[]): CriService {
  const methods = Object.entries(criMethods).map(([name, { responseStream }]) => {
    const told = () => {
      order.push(name);
      return responseStream ? (async function* () {})() : {};
    };
    return [name, told];
  });
  return Object.fromEntries(methods) as CriService;
}
