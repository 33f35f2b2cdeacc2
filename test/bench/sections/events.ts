import { connectCri } from '../../../src/cri/client/connect.js';
import type { Section } from '../context.js';
import { IMAGE, inParallel, livePod } from '../support/pods.js';
import type { Figure } from '../support/result.js';

/** RunPodSandbox 2, CreateContainer 1, StartContainer 1, and the same number for the removal. */
const EVENTS_PER_LIFE = 8;
const PODS = 300;

/** From the first request until every subscriber has received every event. */
export const events: Section = {
  name: 'events',
  title: `Events of ${PODS} pod lifecycles to every subscriber`,
  async run({ servers }) {
    const figures: Figure[] = [];
    for (const subscribers of [1, 16, 100]) {
      const { cri, socket } = await servers.real();
      await cri.pullImage({ image: { image: IMAGE } });
      const clients = Array.from({ length: Math.min(subscribers, 10) }, () => connectCri(socket));
      const follow = async (index: number) => {
        const client = clients[index % clients.length] ?? cri;
        let received = 0;
        for await (const _ of client.getContainerEvents({}))
          if (++received === PODS * EVENTS_PER_LIFE) return;
      };
      const followers = Array.from({ length: subscribers }, (_, index) => follow(index));
      // The reply to a Version call shows that the server has handled earlier subscriptions on the connection.
      await Promise.all(clients.map((client) => client.version({})));
      const begin = performance.now();
      await inParallel(PODS, 4, (index) => livePod(cri, `event-${index}`));
      await Promise.all(followers);
      const seconds = (performance.now() - begin) / 1000;
      for (const client of clients) client.close();
      await servers.stopAll();
      const delivered = subscribers * PODS * EVENTS_PER_LIFE;
      figures.push({ name: `${subscribers} subscribers`, value: delivered / seconds, unit: 'events/s' });
    }
    return figures;
  },
};
