/** Ends a hold or a timer; calling it again does nothing. */
export type Release = () => void;
