export function verdict(
  vector: object,
  answer: object,
): 'sharp' | 'contained' | 'below' | 'refused' | 'accepted' | 'wrong';
