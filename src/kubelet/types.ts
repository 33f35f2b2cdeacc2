export type * from '../kubernetes/pod.js';
export type * from '../kubernetes/pod-status.js';
export type * from '../kubernetes/resources.js';
export * from './types/ports.js';
export type * from './types/profile.js';
export type * from './types/reports.js';
export type * from './types/runtime-status.js';
