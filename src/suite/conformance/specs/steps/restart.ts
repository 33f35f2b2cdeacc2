import type { CheckContext } from '../../check-context.js';
import { isRpcFailure } from '../../expect.js';

export async function restart(t: CheckContext): Promise<void> {
  await t.options.restart?.();
  const answers = () =>
    t.cri.status({}, { timeout: t.patience }).then(
      ({ status }) => status?.conditions.find(({ type }) => type === 'RuntimeReady')?.status === true,
      (error: unknown) => {
        if (!isRpcFailure(error)) throw error;
        return false;
      },
    );
  await t.eventually(answers, (isReady) => isReady, 'the runtime to be ready after its restart');
}
