/** The seeds of signed runs. */

/** The first 32 bits of the SHA-256 of some parts, each with its length before it so that no two lists read alike. */
async function number32(...parts: string[]): Promise<number> {
  const text = parts.map((part) => `${part.length}:${part}`).join('');
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return new DataView(digest).getUint32(0);
}

/** From the adapter's digest and the contract's version (`fleet/1.0`), so that nobody shops for one. Below 2^31. */
export async function seedOf(adapterDigest: string, contractVersion: string): Promise<number> {
  return (await number32('seed', adapterDigest, contractVersion)) >>> 1;
}

/**
 * Of an exam: from a nonce that was drawn for it when it began, so that no author and no operator knows them before. Each
 * below 2^31.
 */
export async function examSeeds(nonce: string, contractVersion: string, count: number): Promise<number[]> {
  const rounds = Array.from({ length: count }, (_, index) => String(index + 1));
  return Promise.all(
    rounds.map(async (round) => (await number32('exam', nonce, contractVersion, round)) >>> 1),
  );
}
