import type Dockerode from 'dockerode';
import { CriError } from '../../../src/cri/errors.js';
import type { Context } from '../context.js';
import { statusOf } from '../errors.js';
import { withProbe } from '../images/probe.js';
import { pullImage } from '../images/pull.js';

/** Name of the image that is built here when the configured one is neither present nor available. */
const LOCAL = { repo: 'mockri-sandbox', tag: 'local' } as const;

/** Waits without work, ends on SIGTERM, and reaps orphans in a shared PID namespace. */
const WAIT = ['sh', '-c', 'trap "exit 0" TERM; while :; do tail -f /dev/null & wait $!; done'];

/** Pulls the configured sandbox image; without a registry, builds one from any image with a shell. */
export async function provideSandboxImage(context: Context, image: string): Promise<string> {
  const { docker } = context;
  const spec = { image, annotations: {}, userSpecifiedImage: '', runtimeHandler: '', imageRef: '' };
  const pull = { image: spec, auth: undefined, sandboxConfig: undefined };
  const giveUp = new AbortController();
  const timer = context.clock.setTimer(PULL, () => giveUp.abort());
  const refusal = await pullImage(context, pull, giveUp.signal).then(
    () => undefined,
    (error: unknown) => error,
  );
  timer.cancel();
  if (refusal === undefined) return image;
  const local = `${LOCAL.repo}:${LOCAL.tag}`;
  if (await isPresent(docker, local)) return local;
  for (const { Id } of await docker.listImages()) if (await makeOf(context, Id)) return local;
  throw new CriError(
    'unavailable',
    `the sandbox image ${image} is not present and can't be pulled, and no present image has a shell to make one of: ${(refusal as Error).message}`,
    { cause: refusal },
  );
}

/** In ms; delays the first pod without a registry. */
const PULL = 20_000;

async function isPresent(docker: Dockerode, name: string): Promise<boolean> {
  try {
    await docker.getImage(name).inspect();
    return true;
  } catch (error) {
    if (statusOf(error) === 404) return false;
    throw error;
  }
}

/** Returns whether it could be built: an image that can be started has a shell. */
function makeOf(context: Context, image: string): Promise<boolean> {
  return withProbe(context, { Image: image, Entrypoint: WAIT }, async (probe) => {
    try {
      await probe.start();
      await probe.commit({ ...LOCAL, changes: 'LABEL dev.mockri.kind= dev.mockri.id=' });
      return true;
    } catch {
      return false;
    }
  });
}
