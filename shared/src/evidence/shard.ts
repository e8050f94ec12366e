/** One part of a qualification that several machines share: every n-th of its runs. */
export interface Shard {
  /** From 1 to `count`. */
  index: number;
  count: number;
}

/** The runs of a shard: which they are follows from their order alone. */
export function runsOfShard<Run>(runs: readonly Run[], { index, count }: Shard): Run[] {
  return runs.filter((_, place) => place % count === index - 1);
}

/** What the name of a shard's verdict file has before its ending, and that of a whole one has not. */
export function shardSuffix({ index, count }: Shard): string {
  return `.shard-${index}-of-${count}`;
}

/** The same name without it. */
export function withoutShard(name: string): string {
  return name.replace(/\.shard-\d+-of-\d+$/, '');
}
