export type * from './types/api-status.js';
export type * from './types/pod.js';
export * from './types/ports.js';
export type * from './types/profile.js';
export type * from './types/reports.js';
export type * from './types/resources.js';
export type * from './types/runtime-status.js';
