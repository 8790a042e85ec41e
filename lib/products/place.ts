/** The names of what a bug belongs to. */
export type BugPlace = Readonly<Record<string, string>> & {
  product: string;
  component: string;
  classification: string;
};
