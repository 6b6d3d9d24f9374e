/** Which neighbouring data sets the guarantee is about. */
export type Adjacency = 'add-remove' | 'replace-one';
