import { changing, type Rpc, reading } from './rpc.js';

/** Only absent images are removed: images that existed before stay unchanged. */
const imageRpcs: readonly Rpc[] = [
  reading('ListImages', 'none', 1, {
    '': () => ({}),
    'of the image': ({ image }) => ({ filter: { image: { image } } }),
    'of an absent image': ({ absentImage }) => ({ filter: { image: { image: absentImage } } }),
  }),
  reading('StreamImages', 'none', 0.3, { '': () => ({}) }),
  reading('ImageStatus', 'none', 2, {
    '': ({ image }) => ({ image: { image } }),
    verbose: ({ image }) => ({ image: { image }, verbose: true }),
    'of an absent image': ({ absentImage }) => ({ image: { image: absentImage } }),
    'of a malformed image': () => ({ image: { image: 'No/Such/IMAGE' } }),
    'without an image': () => ({}),
  }),
  reading('PullImage', 'none', 1, {
    '': ({ image }) => ({ image: { image } }),
    'of a malformed image': () => ({ image: { image: 'No/Such/IMAGE' } }),
    'without an image': () => ({}),
  }),
  reading('RemoveImage', 'none', 1, {
    'of an absent image': ({ absentImage }) => ({ image: { image: absentImage } }),
    'of a malformed image': () => ({ image: { image: 'No/Such/IMAGE' } }),
    'without an image': () => ({}),
  }),
  reading('ImageFsInfo', 'none', 0.5, { '': () => ({}) }),
];

export const nodeRpcs: readonly Rpc[] = [
  reading('Version', 'none', 0.5, {
    '': () => ({ version: '' }),
    'of another API': () => ({ version: 'v1alpha2' }),
  }),
  reading('Status', 'none', 1, { '': () => ({}), verbose: () => ({ verbose: true }) }),
  reading('RuntimeConfig', 'none', 0.5, { '': () => ({}) }),
  reading('UpdateRuntimeConfig', 'none', 0.5, {
    '': () => ({}),
    'with an empty network': () => ({ runtimeConfig: { networkConfig: {} } }),
  }),
  reading('ListMetricDescriptors', 'none', 0.5, { '': () => ({}) }),
  reading('ListPodSandboxMetrics', 'none', 0.5, { '': () => ({}) }),
  reading('StreamPodSandboxMetrics', 'none', 0.3, { '': () => ({}) }),
  changing('CheckpointPod', 'pod', 0.2, { 'without containers': ({ podSandboxId }) => ({ podSandboxId }) }),
  ...imageRpcs,
];
