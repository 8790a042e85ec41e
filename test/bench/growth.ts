export async function growth(): Promise<void> {}
