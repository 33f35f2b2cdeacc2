/** The simulated node's kernel in uname and /proc. */
export const KERNEL = { release: '6.8.0-mockri', version: '#1 SMP PREEMPT_DYNAMIC', type: 'Linux' } as const;
