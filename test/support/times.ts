/** What `make` returns for 0, 1, 2, … */
export const times = <T>(count: number, make: (place: number) => T): T[] =>
  Array.from({ length: count }, (_, place) => make(place));
