export async function throughput(): Promise<void> {}
