/** A promise with its resolver outside (Promise.withResolvers is not in Node 20). The first resolve counts. */
export interface Deferred<T> {
  promise: Promise<T>;
  resolve(value: T): void;
  reject(error: Error): void;
}

export function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<T>((res, rej) => {
    resolve = res;
    reject = rej;
  });
  // Whoever awaits it later still sees a rejection; nobody awaiting it yet is no crash.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
