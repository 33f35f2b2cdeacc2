/** How the kernel of the simulated node calls itself, for uname and /proc alike. */
export const KERNEL = { release: '6.8.0-mockri', version: '#1 SMP PREEMPT_DYNAMIC', type: 'Linux' } as const;
