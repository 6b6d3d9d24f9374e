export function answerer(library: object, engine: object, options?: object): (vector: object) => object;
