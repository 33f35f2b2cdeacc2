import type { Image } from '../../../../cri/gen/runtime/v1/api.js';
import type { Check } from '../../check.js';
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

export const imageChecks: readonly Check[] = [
  {
    id: 'INV-36.one-id',
    group: 'images',
    tag: 'spec',
    rule: 'image_ref of PullImage, Image.id and image_id of the containers are the same.',
    source: 'cri-api PullImageResponse.image_ref (since v0.36)',
    upstream: ['containerd#12787', 'cri-o#9728'],
    async run(t) {
      const { imageRef } = await t.cri.pullImage({ image: spec(t.facts.image) });
      const image = await findImage(t, t.facts.image);
      mustEqual(image?.id, imageRef, 'Image.id and image_ref of PullImage');
      const sandbox = await t.sandbox();
      const containerId = await t.create(sandbox);
      const { containers } = await t.cri.listContainers({ filter: { id: containerId } });
      mustEqual(containers[0]?.imageId, imageRef, 'Container.image_id');
      mustEqual((await t.status(containerId)).imageId, imageRef, 'ContainerStatus.image_id');
    },
  },
  {
    id: 'INV-37.pull',
    group: 'images',
    tag: 'spec',
    rule: 'ImageStatus and ListImages show a pulled image with its size, and a second pull returns the same id.',
    source: 'cri-api PullImage, ImageStatus, ListImages',
    async run(t) {
      const first = await t.cri.pullImage({ image: spec(t.facts.image) });
      const second = await t.cri.pullImage({ image: spec(t.facts.image) });
      mustEqual(second.imageRef, first.imageRef, 'image_ref of the second pull');
      const image = await findImage(t, t.facts.image);
      must(
        image !== undefined && image.size > 0n && image.id !== '',
        'an image with an id and a size',
        image,
      );
      must(
        (await listed(t)).some((one) => one.id === image.id),
        'the image in ListImages',
        image.id,
      );
    },
  },
  {
    id: 'INV-37.remove',
    group: 'images',
    tag: 'spec',
    rule: 'After RemoveImage, none of the image’s names resolves, and no other image changes.',
    source: 'cri-api RemoveImage (all tags, since v0.36)',
    async run(t) {
      const extra = await secondImage(t);
      const others = named(await listed(t), extra.id);
      await mustWork(
        t.cri.removeImage({ image: spec(extra.reference) }),
        `RemoveImage of ${extra.reference}`,
      );
      for (const name of [extra.reference, extra.id, ...extra.image.repoTags, ...extra.image.repoDigests]) {
        mustEqual(await findImage(t, name), undefined, `ImageStatus of ${name} after its removal`);
      }
      mustEqual(named(await listed(t)), others, 'the remaining images with their names');
    },
  },
  {
    id: 'INV-38.normal-form',
    group: 'images',
    tag: 'common',
    rule: 'All forms of a reference find the same image; repo_tags have a tag, repo_digests one "@".',
    source: 'distribution/reference',
    async run(t) {
      const image = await findImage(t, t.facts.image);
      must(image !== undefined, `the image ${t.facts.image}`, 'none');
      for (const name of [image.id, ...image.repoTags, ...image.repoDigests]) {
        mustEqual((await findImage(t, name))?.id, image.id, `the id found by ${name}`);
      }
      for (const tag of image.repoTags) must(/:[^/]+$/.test(tag), 'a tag at the end of a repo tag', tag);
      for (const digest of image.repoDigests)
        mustEqual(digest.split('@').length, 2, `the parts around "@" in ${digest}`);
    },
  },
  {
    id: 'INV-38.invalid',
    group: 'images',
    tag: 'common',
    rule: 'An invalid reference is rejected, and an id is never treated as a repository.',
    source: 'distribution/reference: repositories with uppercase letters and 64 hex digits are not names',
    async run(t) {
      await mustFail(
        t.cri.pullImage({ image: spec('localhost/UpperCase:1') }),
        'PullImage of an uppercase repository',
      );
      await mustFail(t.cri.pullImage({ image: spec('a'.repeat(64)) }), 'PullImage of 64 hex digits');
      await mustFail(t.cri.pullImage({ image: spec('') }), 'PullImage of an empty reference');
    },
  },
  {
    id: 'INV-39.digest',
    group: 'images',
    tag: 'common',
    rule: 'An image that was pulled only by digest has no tag; a later pull by tag adds the tag to the same id.',
    source: 'containerd image_pull.go',
    async run(t) {
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
  },
  {
    id: 'INV-40.absent',
    group: 'images',
    tag: 'spec',
    rule: 'ImageStatus of an absent image is OK without an image; a failed pull changes nothing.',
    source: 'cri-api ImageStatus',
    async run(t) {
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
  },
  {
    id: 'INV-41.fs-info',
    group: 'images',
    tag: 'strict',
    rule: 'ImageFsInfo has a file system with a mountpoint; its time advances, and its usage follows pulls and removals.',
    source: 'cri-api ImageFsInfo, FilesystemUsage',
    async run(t) {
      const usage = async () => {
        const { imageFilesystems } = await t.cri.imageFsInfo({});
        must(imageFilesystems.length > 0, 'at least one file system', imageFilesystems);
        for (const fs of imageFilesystems) must((fs.fsId?.mountpoint ?? '') !== '', 'a mountpoint', fs);
        const used = imageFilesystems.reduce((sum, fs) => sum + (fs.usedBytes?.value ?? 0n), 0n);
        return { used, timestamp: imageFilesystems[0]?.timestamp ?? 0n };
      };
      const extra = await secondImage(t);
      const before = await usage();
      await t.cri.removeImage({ image: spec(extra.reference) });
      const after = await usage();
      must(
        after.timestamp > 0n && after.timestamp >= before.timestamp,
        `a timestamp >= ${before.timestamp}`,
        String(after.timestamp),
      );
      must(
        after.used <= before.used,
        `at most ${before.used} bytes used after a removal`,
        String(after.used),
      );
    },
  },
  {
    id: 'INV-42.in-use',
    group: 'images',
    tag: 'strict',
    rule: 'However RemoveImage treats an image that a container uses, the container’s status stays readable.',
    source: 'containerd allows it, CRI-O rejects it',
    async run(t) {
      const extra = await secondImage(t);
      const containerId = await t.create(await t.sandbox(), { image: spec(extra.reference) });
      await t.cri.removeImage({ image: spec(extra.reference) }).catch(() => {});
      const status = await t.status(containerId);
      must(status.image?.image !== '' && status.imageRef !== '', 'image and image_ref in the status', status);
    },
  },
];
