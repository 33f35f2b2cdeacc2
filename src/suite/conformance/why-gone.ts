import type { CriClient } from '../../cri/client/client.js';
import { describeFailure, isRpcFailure } from './expect.js';

/** Why a runtime no longer responds; undefined if it does. */
export async function whyGone(cri: CriClient, timeout: number): Promise<string | undefined> {
  try {
    await cri.version({ version: '' }, { timeout });
    return undefined;
  } catch (error) {
    return `the runtime no longer responds: ${isRpcFailure(error) ? describeFailure(error) : error}`;
  }
}
