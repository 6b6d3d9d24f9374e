/**
 * Several releases on the same records, one after the other. On a sample they see one and the same draw, so they are composed first and sampled once; on all
 * records they are a composition like any other.
 */
export interface Joint {
  readonly kind: 'joint';
  /** Single releases, and repeats and compositions of these; typed loosely, as mechanisms are made of kinds. */
  readonly parts: readonly { readonly kind: string }[];
  /** Set by the account: of each release it is told between which multiples of a step its loss is. */
  readonly side?: 'below';
}
