import type { CriClient } from '../../cri/client/client.js';
import { isRpcFailure } from './expect.js';
import { Unusable } from './unusable.js';

/** Images with a shell, in the order in which they are tried if no image is given. */
const IMAGES = [
  'registry.k8s.io/e2e-test-images/busybox:1.29-2',
  'docker.io/library/busybox:latest',
  'localhost:5000/e2e-test-images/busybox:1.29-2',
];

export interface ChosenImage {
  readonly reference: string;
  /** Whether the suite pulled it, and removes it at the end. */
  readonly wasPulled: boolean;
}

/** Returns the given image, or the first known image that is present or can be pulled. Throws Unusable. */
export async function chooseImage(
  cri: CriClient,
  given: string | undefined,
  { timeout, signal }: { readonly timeout: number; readonly signal: AbortSignal },
): Promise<ChosenImage> {
  const tried: string[] = [];
  for (const reference of given === undefined ? IMAGES : [given]) {
    const image = { image: reference };
    try {
      const { image: present } = await cri.imageStatus({ image, verbose: false }, { timeout, signal });
      if (present === undefined) await cri.pullImage({ image }, { timeout: timeout * 10, signal });
      return { reference, wasPulled: present === undefined };
    } catch (error) {
      tried.push(`${reference}: ${isRpcFailure(error) ? error.details : error}`);
    }
  }
  throw new Unusable(`no image with a shell is available; specify one with --image\n${tried.join('\n')}`);
}
