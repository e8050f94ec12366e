/** What Loadline uses of tar-stream 2, which ships no types. */
declare module 'tar-stream' {
  import type { Readable, Writable } from 'node:stream';

  export interface EntryHeader {
    name: string;
    mode?: number;
    mtime?: Date;
    uid?: number;
    gid?: number;
    size?: number;
    type?: 'file' | 'directory';
  }

  export interface Pack extends Readable {
    entry(header: EntryHeader, content: Buffer | string): Writable;
    finalize(): void;
  }

  export function pack(): Pack;
}
