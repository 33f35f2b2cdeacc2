import { CLIENTS, HOST, NAMES, RUNTIMES, type Sentences } from './holder.js';

/** The sentences of images. */
export const images: Sentences = {
  ImageSpec: {
    'Names an image.': ['INV-38.normal-form'],
  },
  'ImageSpec.image': {
    'A tag, a digest or an id, as the caller knows it.': ['INV-38.normal-form', 'INV-39.digest'],
  },
  'ImageSpec.annotations': {
    'Hints such as the platform; runtimes may ignore them.': RUNTIMES,
  },
  'ImageSpec.user_specified_image': {
    "What the pod's spec says, before anything was resolved.": CLIENTS,
  },
  'ImageSpec.runtime_handler': {
    'The handler whose image is meant, where images differ by handler.': RUNTIMES,
  },
  'ImageSpec.image_ref': {
    'Digest or id that image was resolved to.': RUNTIMES,
  },
  ImageFilter: {
    'Which images.': NAMES,
  },
  ListImagesRequest: {
    'Says which images to list; all by default.': ['INV-37.pull'],
  },
  Image: {
    'An image on the node.': ['INV-37.pull'],
  },
  'Image.id': {
    'Not empty; the same in every API.': ['INV-36.one-id'],
  },
  'Image.repo_tags': {
    'Normalized names, each with a tag.': ['INV-38.normal-form', 'INV-39.digest'],
  },
  'Image.repo_digests': {
    'Normalized names, each with a digest.': ['INV-38.normal-form'],
  },
  'Image.size': {
    'Bytes, above 0.': ['INV-37.pull', 'INV-63.images'],
  },
  'Image.uid': {
    "The numeric user of the image's config; not together with username.": RUNTIMES,
  },
  'Image.username': {
    "The named user of the image's config.": RUNTIMES,
  },
  'Image.spec': {
    'What the image was pulled with.': RUNTIMES,
  },
  'Image.pinned': {
    'Image garbage collection leaves it alone.': CLIENTS,
  },
  ListImagesResponse: {
    'The images that match.': ['INV-19.images'],
  },
  StreamImagesRequest: {
    'Says which images to list; all by default.': ['INV-20.StreamImages'],
  },
  StreamImagesResponse: {
    'Some of the images that match; never none.': ['INV-20.StreamImages'],
  },
  ImageStatusRequest: {
    'Names the image to tell about.': NAMES,
  },
  'ImageStatusRequest.verbose': {
    'Fill in info.': ['INV-24.verbose'],
  },
  ImageStatusResponse: {
    'The image, or none.': ['INV-40.absent'],
  },
  'ImageStatusResponse.image': {
    "Unset if the node doesn't have it.": ['INV-40.absent'],
  },
  'ImageStatusResponse.info': {
    'Debugging data; JSON where a value starts with {.': ['INV-24.verbose'],
    'Empty unless verbose.': ['INV-24.verbose'],
  },
  AuthConfig: {
    'Credentials for a registry.': HOST,
  },
  'AuthConfig.auth': {
    'Base64 of username:password.': HOST,
  },
  'AuthConfig.identity_token': {
    'Exchanged for a registry token.': HOST,
  },
  'AuthConfig.registry_token': {
    'Bearer token, sent as it is.': HOST,
  },
  PullImageRequest: {
    'Names the image to fetch.': NAMES,
  },
  'PullImageRequest.auth': {
    'None for an anonymous pull.': ['INV-37.pull'],
  },
  'PullImageRequest.sandbox_config': {
    'The pod that the image is for.': RUNTIMES,
  },
  PullImageResponse: {
    'The image that is there now.': ['INV-37.pull'],
  },
  'PullImageResponse.image_ref': {
    'Has to equal Image.id and the image_id of containers.': ['INV-36.one-id'],
  },
  RemoveImageRequest: {
    'Names the image to remove.': NAMES,
  },
  RemoveImageResponse: {
    'Says only that it is done.': NAMES,
  },
  ImageFsInfoRequest: {
    'Asks for disk usage.': NAMES,
  },
  ImageFsInfoResponse: {
    'Disk usage by purpose.': ['INV-41.fs-info'],
  },
  'ImageFsInfoResponse.image_filesystems': {
    'Where images are.': ['INV-41.fs-info'],
  },
  'ImageFsInfoResponse.container_filesystems': {
    'Where writable layers are; may be the same.': ['INV-41.fs-info'],
  },
};
