// biome-ignore lint/suspicious/noExplicitAny: objects of the API have many more fields.
export type Json = Record<string, any>;
