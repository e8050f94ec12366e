/** What the signer will not or cannot do; the message is a sentence that says why and what to do. */
export class SigningRefused extends Error {}

/** The error code of a failed file operation, or undefined. */
export function errorCode(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}

/** A failed file operation as a refusal. */
export function fileTrouble(what: string, path: string, error: unknown): SigningRefused {
  return new SigningRefused(`${path} cannot be ${what}: ${reasonOf(error)}`, { cause: error });
}

function reasonOf(error: unknown): string {
  switch (errorCode(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return 'the disk is full; free some space and run again.';
    case 'EACCES':
    case 'EPERM':
      return 'permission was denied; make its folder writable for you and run again.';
    case 'EROFS':
      return 'the file system is read-only; make it writable and run again.';
    case undefined:
      return `${error instanceof Error ? error.message : String(error)}.`;
    default:
      return `the system said ${errorCode(error)}; correct that and run again.`;
  }
}
