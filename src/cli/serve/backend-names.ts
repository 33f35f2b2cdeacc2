/** What `--backend` may be. */
export const backendNames = ['memory', 'docker', 'remote', 'tape'] as const;

/** One of `backendNames`. */
export type BackendName = (typeof backendNames)[number];
