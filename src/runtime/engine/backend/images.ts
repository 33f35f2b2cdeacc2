import type {
  AuthConfig,
  FilesystemUsage,
  Image,
  ImageSpec,
  PodSandboxConfig,
} from '../../../cri/gen/runtime/v1/api.js';
import type { BackendCall } from './call.js';

/** The image store. All its operations are concurrent. */
export interface ImageBackend {
  list(): Promise<readonly Image[]>;
  /** Finds by tag, digest, id or unique id prefix; undefined when absent. */
  find(reference: string): Promise<Image | undefined>;
  /** Resolves with the image's id. A cancelled or failed pull leaves nothing behind. */
  pull(request: ImagePull, call: BackendCall): Promise<string>;
  /** Removes the image with all its names; does nothing for an absent one. */
  remove(imageId: string, call: BackendCall): Promise<void>;
  /** In bytes and inodes, with the time of the measurement. */
  fsInfo(): Promise<ImageFsUsage>;
  inspect(imageId: string): Promise<Record<string, unknown>>;
}

export interface ImagePull {
  readonly image: ImageSpec;
  readonly auth: AuthConfig | undefined;
  readonly sandboxConfig: PodSandboxConfig | undefined;
}

export interface ImageFsUsage {
  readonly images: readonly FilesystemUsage[];
  readonly containers: readonly FilesystemUsage[];
}
