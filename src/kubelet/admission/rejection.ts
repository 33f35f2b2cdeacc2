/** Why a node does not take a pod: reason and message of its status. */
export interface Rejection {
  readonly reason: string;
  readonly message: string;
}
