/** What a rule counts and acts on; default `call`. `open-streams`: the streams that are open when the rule is added. */
export const triggers = [
  'call',
  'reply',
  'message',
  'open-streams',
  'session',
  'connection',
  'time',
] as const;

export type Trigger = (typeof triggers)[number];
