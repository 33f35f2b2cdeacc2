import { wrongState } from '../../../cri/errors.js';

export type Doing = 'starting' | 'removing';

export type Alone = (containerId: string, doing: Doing, work: () => Promise<void>) => Promise<void>;

/** Work waits in the pod's queue. */
export const inTurn: Alone = (_, __, work) => work();

/** Fails with `wrong-state` while another call starts or removes the container. */
export function createAlone(): Alone {
  const underWay = new Map<string, Doing>();
  return async (id, doing, work) => {
    const state = underWay.get(id);
    if (state !== undefined)
      throw wrongState(`container ${id} is in ${state} state: another call is ${state} it`, {
        name: 'busy',
        id,
        state,
      });
    underWay.set(id, doing);
    try {
      await work();
    } finally {
      underWay.delete(id);
    }
  };
}
