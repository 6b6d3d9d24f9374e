export type Room = readonly [room: string, what: string];
export const FLOORS: readonly (readonly Room[])[];
