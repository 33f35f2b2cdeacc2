import type { CriClient } from '../../cri/client/client.js';
import { Code } from '../../cri/status-code.js';
import { RUN_LABEL } from '../conformance/cleanup.js';
import { isRpcFailure } from '../conformance/expect.js';

/** Objects that a runtime still shows after all pods of a run were removed: `container 1f2e… in ListContainers`. */
export async function leftoversOf(
  cri: CriClient,
  run: string,
  isOurs: (id: string) => boolean,
  timeout: number,
): Promise<readonly string[]> {
  const limit = { timeout };
  const ours = ({ id, labels }: Labelled) => labels[RUN_LABEL] === run || isOurs(id);
  const oursIn = ({ attributes }: { readonly attributes?: Labelled | undefined }) =>
    attributes !== undefined && ours(attributes) ? [attributes] : [];
  const found = await Promise.all([
    look('sandbox', 'ListPodSandbox', async () => (await cri.listPodSandbox({}, limit)).items.filter(ours)),
    look('container', 'ListContainers', async () =>
      (await cri.listContainers({}, limit)).containers.filter(ours),
    ),
    look('container', 'ListContainerStats', async () =>
      (await cri.listContainerStats({}, limit)).stats.flatMap(oursIn),
    ),
    look('sandbox', 'ListPodSandboxStats', async () =>
      (await cri.listPodSandboxStats({}, limit)).stats.flatMap(oursIn),
    ),
    look('sandbox', 'ListPodSandboxMetrics', async () =>
      (await cri.listPodSandboxMetrics({}, limit)).podMetrics
        .filter(({ podSandboxId }) => isOurs(podSandboxId))
        .map(({ podSandboxId }) => ({ id: podSandboxId })),
    ),
  ]);
  return found.flat();
}

interface Labelled {
  readonly id: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** A failed list counts as empty: the checks of the suite cover failures. */
async function look(
  kind: string,
  method: string,
  list: () => Promise<readonly { readonly id: string }[]>,
): Promise<readonly string[]> {
  try {
    return (await list()).map(({ id }) => `${kind} ${id} in ${method}`);
  } catch (error) {
    if (!isRpcFailure(error) || error.code === Code.UNAVAILABLE) throw error;
    return [];
  }
}
