import type { Image } from '../../../../cri/gen/runtime/v1/api.js';
import type { CheckContext } from '../../check-context.js';

export const spec = (image: string) => ({ image });

export async function findImage(t: CheckContext, reference: string): Promise<Image | undefined> {
  return (await t.cri.imageStatus({ image: spec(reference), verbose: false })).image;
}

/** Parts of the suite's image `name:tag`, without digest. */
function split(reference: string): { readonly repository: string; readonly tag: string } {
  const colon = reference.lastIndexOf(':');
  if (reference.includes('@') || colon < reference.lastIndexOf('/'))
    return { repository: reference.split('@')[0] as string, tag: 'latest' };
  return { repository: reference.slice(0, colon), tag: reference.slice(colon + 1) };
}

/** Pulls a second image only for this check: another name from the registry of the suite's image. */
export async function secondImage(
  t: CheckContext,
): Promise<{ readonly reference: string; readonly id: string; readonly image: Image }> {
  const { repository } = split(t.facts.image);
  const candidates = [
    'gcr.io/k8s-staging-cri-tools/test-image-1:latest',
    `${repository}:1.28`,
    'busybox:latest',
  ];
  for (const reference of candidates) {
    if ((await findImage(t, reference)) !== undefined) continue;
    try {
      await t.cri.pullImage({ image: spec(reference) });
    } catch {
      continue;
    }
    t.trackImage(reference);
    const image = await findImage(t, reference);
    if (image === undefined || (await findImage(t, t.facts.image))?.id === image.id) continue;
    return { reference, id: image.id, image };
  }
  return t.skip(`no second image could be pulled (tried ${candidates.join(', ')})`);
}
