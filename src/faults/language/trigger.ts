/** What a rule counts and acts on; default `call`. */
export const triggers = ['call', 'reply', 'message', 'connection', 'time'] as const;

/** One of `triggers`. */
export type Trigger = (typeof triggers)[number];
