import { isRpcFailure } from '../../expect.js';

const CALLERS = 8;

/** Results of parallel calls: replies, and failures with a gRPC status; rethrows other errors. */
export async function outcomes<T>(calls: readonly Promise<T>[]): Promise<{ kept: T[]; failed: unknown[] }> {
  const settled = await Promise.allSettled(calls);
  const kept = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  for (const reason of failed) if (!isRpcFailure(reason)) throw reason;
  return { kept, failed };
}

export const many = <T>(call: () => Promise<T>): Promise<T>[] => Array.from({ length: CALLERS }, call);
