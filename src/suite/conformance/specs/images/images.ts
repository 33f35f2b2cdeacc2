import type { Image } from '../../../../cri/gen/runtime/v1/api.js';
import type { Checks } from '../../check.js';
import type { CheckContext } from '../../check-context.js';
import { must, mustEqual, mustFail, mustWork } from '../../expect.js';
import { Skip } from '../../violation.js';
import { findImage, secondImage, spec } from '../steps/second-image.js';

async function listed(t: CheckContext): Promise<readonly Image[]> {
  return (await t.cri.listImages({ filter: undefined })).images;
}

const named = (images: readonly Image[], except = ''): string[] =>
  images
    .filter(({ id }) => id !== except)
    .map(({ id, repoTags, repoDigests }) => [id, ...[...repoTags, ...repoDigests].sort()].join(' '))
    .sort();

async function imageUsage(t: CheckContext) {
  const { imageFilesystems, containerFilesystems } = await t.cri.imageFsInfo({});
  must(imageFilesystems.length > 0, 'at least one file system', imageFilesystems);
  for (const fs of [...imageFilesystems, ...containerFilesystems]) {
    must((fs.fsId?.mountpoint ?? '') !== '', 'a mountpoint', fs);
    must(fs.timestamp > 0n, 'a timestamp above 0', fs);
  }
  const used = imageFilesystems.reduce((sum, fs) => sum + (fs.usedBytes?.value ?? 0n), 0n);
  return { used, timestamp: imageFilesystems[0]?.timestamp ?? 0n };
}

/** Waits for the result of a later measurement: containerd measures every ten seconds. */
const laterUsage = (t: CheckContext, { timestamp }: { readonly timestamp: bigint }) =>
  t.eventually(
    () => imageUsage(t),
    (found) => found.timestamp > timestamp,
    `a timestamp after ${timestamp}`,
    2 * t.patience,
  );

export const imageChecks: Checks = {
  async 'INV-36.one-id'(t) {
    const { imageRef } = await t.cri.pullImage({ image: spec(t.facts.image) });
    const image = await findImage(t, t.facts.image);
    mustEqual(image?.id, imageRef, 'Image.id and image_ref of PullImage');
    const sandbox = await t.sandbox();
    const containerId = await t.create(sandbox);
    const { containers } = await t.cri.listContainers({ filter: { id: containerId } });
    mustEqual(containers[0]?.imageId, imageRef, 'Container.image_id');
    mustEqual((await t.status(containerId)).imageId, imageRef, 'ContainerStatus.image_id');
  },
  async 'INV-37.pull'(t) {
    const first = await t.cri.pullImage({ image: spec(t.facts.image) });
    const second = await t.cri.pullImage({ image: spec(t.facts.image) });
    mustEqual(second.imageRef, first.imageRef, 'image_ref of the second pull');
    const image = await findImage(t, t.facts.image);
    must(image !== undefined && image.size > 0n && image.id !== '', 'an image with an id and a size', image);
    must(
      (await listed(t)).some((one) => one.id === image.id),
      'the image in ListImages',
      image.id,
    );
  },
  async 'INV-37.remove'(t) {
    const extra = await secondImage(t);
    const others = named(await listed(t), extra.id);
    await mustWork(t.cri.removeImage({ image: spec(extra.reference) }), `RemoveImage of ${extra.reference}`);
    for (const name of [extra.reference, extra.id, ...extra.image.repoTags, ...extra.image.repoDigests]) {
      mustEqual(await findImage(t, name), undefined, `ImageStatus of ${name} after its removal`);
    }
    mustEqual(named(await listed(t)), others, 'the remaining images with their names');
  },
  async 'INV-38.normal-form'(t) {
    const image = await findImage(t, t.facts.image);
    must(image !== undefined, `the image ${t.facts.image}`, 'none');
    for (const name of [image.id, ...image.repoTags, ...image.repoDigests]) {
      mustEqual((await findImage(t, name))?.id, image.id, `the id found by ${name}`);
    }
    for (const tag of image.repoTags) must(/:[^/]+$/.test(tag), 'a tag at the end of a repo tag', tag);
    for (const digest of image.repoDigests)
      mustEqual(digest.split('@').length, 2, `the parts around "@" in ${digest}`);
  },
  async 'INV-38.invalid'(t) {
    await mustFail(
      t.cri.pullImage({ image: spec('localhost/UpperCase:1') }),
      'PullImage of an uppercase repository',
    );
    await mustFail(t.cri.pullImage({ image: spec('a'.repeat(64)) }), 'PullImage of 64 hex digits');
    await mustFail(t.cri.pullImage({ image: spec('') }), 'PullImage of an empty reference');
  },
  async 'INV-39.digest'(t) {
    const extra = await secondImage(t);
    const [digest] = extra.image.repoDigests;
    if (digest === undefined) throw new Skip('the image has no digest');
    await t.cri.removeImage({ image: spec(extra.reference) });
    await t.cri.pullImage({ image: spec(digest) });
    const byDigest = await findImage(t, digest);
    mustEqual(byDigest?.repoTags, [], 'repo_tags after a pull by digest');
    await t.cri.pullImage({ image: spec(extra.reference) });
    const byTag = await findImage(t, extra.reference);
    mustEqual(byTag?.id, byDigest?.id, 'the id after the tag was pulled too');
    mustEqual(byTag?.repoTags.length, 1, 'the number of tags');
  },
  async 'INV-40.absent'(t) {
    const absent = 'localhost/no-such-image:1';
    const reply = await mustWork(
      t.cri.imageStatus({ image: spec(absent), verbose: false }),
      'ImageStatus of an absent image',
    );
    mustEqual(reply.image, undefined, 'the returned image');
    const before = named(await listed(t));
    await mustFail(
      t.cri.pullImage({ image: spec('localhost/wrong') }),
      'PullImage of an image that does not exist',
    );
    mustEqual(named(await listed(t)), before, 'the images with their names after a failed pull');
  },
  // Runs alone, because the images and containers of others are in the same file system.
  async 'INV-41.fs-info'(t) {
    const before = await imageUsage(t);
    const { reference } = await secondImage(t);
    const pulled = await laterUsage(t, before);
    must(pulled.used >= before.used, `at least ${before.used} bytes used after a pull`, `${pulled.used}`);
    await t.cri.removeImage({ image: spec(reference) });
    const removed = await laterUsage(t, pulled);
    const most = `at most ${pulled.used} bytes used after a removal`;
    must(removed.used <= pulled.used, most, `${removed.used}`);
  },
  async 'INV-42.in-use'(t) {
    const extra = await secondImage(t);
    const containerId = await t.create(await t.sandbox(), { image: spec(extra.reference) });
    await t.cri.removeImage({ image: spec(extra.reference) }).catch(() => {});
    const status = await t.status(containerId);
    must(status.image?.image !== '' && status.imageRef !== '', 'image and image_ref in the status', status);
  },
};
