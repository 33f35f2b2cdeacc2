// biome-ignore lint/suspicious/noExplicitAny: objects of the API have more fields than anybody here reads.
export type Json = Record<string, any>;
