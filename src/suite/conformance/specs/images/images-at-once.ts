import type { Checks } from '../../check.js';
import { must, mustEqual, mustWork } from '../../expect.js';
import { many, outcomes } from '../steps/at-once.js';
import { findImage, secondImage, spec } from '../steps/second-image.js';

const ROUNDS = 3;

export const imageAtOnceChecks: Checks = {
  async 'INV-61.remove'(t) {
    for (let round = 0; round < ROUNDS; round++) {
      const { reference } = await secondImage(t);
      const { failed } = await outcomes(many(() => t.cri.removeImage({ image: spec(reference) })));
      must(failed.length === 0, 'every RemoveImage to be OK', failed.map(String));
      mustEqual(await findImage(t, reference), undefined, 'ImageStatus afterwards');
    }
  },
  async 'INV-61.pull-and-remove'(t) {
    const { reference, id } = await secondImage(t);
    const image = spec(reference);
    for (let round = 0; round < ROUNDS; round++) {
      const pulls = Array.from({ length: 3 }, () => t.cri.pullImage({ image }));
      const removals = Array.from({ length: 3 }, () => t.cri.removeImage({ image }));
      const [, removed] = await Promise.all([outcomes(pulls), outcomes(removals)]);
      must(removed.failed.length === 0, 'every RemoveImage to be OK', removed.failed.map(String));
      const present = await findImage(t, reference);
      const { images } = await t.cri.listImages({});
      const listed = images.find((one) => one.id === id);
      mustEqual(listed?.id, present?.id, 'the image in ListImages and in ImageStatus');
      const { imageRef } = await mustWork(t.cri.pullImage({ image }), 'PullImage afterwards');
      const pulled = await findImage(t, reference);
      must(
        pulled !== undefined && pulled.size > 0n,
        'the image after it was pulled again',
        pulled ?? imageRef,
      );
      await mustWork(t.create(await t.sandbox(), { image }), 'CreateContainer with the image');
    }
  },
};
