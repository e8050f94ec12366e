/** The virtual declaration file: the client's typings, the contract's, the sandbox's globals, and what a catch holds. */
import type { Contract } from '../../../shared/src/contracts/contract.ts';
import { emitSandboxGlobals } from '../../../shared/src/surface/sandboxGlobals.ts';
import type { Surface } from '../../../shared/src/surface/surface.ts';
import { emitTypings, typesNamespace } from '../../../shared/src/surface/typings.ts';
import type { TypeNames } from './insertions.ts';

/** Namespace and interface of a caught error in the virtual declarations. */
const THROWN_NAMESPACE = 'LoadlineThrown';
const THROWN_INTERFACE = 'Thrown';

/**
 * A caught value is taken for the client's error, with `any` for what others add to it. Handlers of promises get the
 * same type by merging.
 */
const THROWN = `declare namespace ${THROWN_NAMESPACE} {
  interface ${THROWN_INTERFACE} {
    /** \`"VendorCallError"\` where the client threw it. */
    name: string;
    message: string;
    stack?: string;
    cause?: any;
    /** Status of the answer; 0 where the client refused the call. */
    status: number;
    /** Who refused: the client before sending, the broker, or the vendor itself. */
    origin: "client" | "broker" | "vendor";
    /** Whether the call reached the vendor. */
    sent: "no" | "maybe" | "yes";
    /** \`none\`: nothing happened by this attempt. \`refused\`: the vendor said no. \`unknown\`: it may have happened. */
    outcome: "none" | "refused" | "unknown";
    /** Milliseconds to wait before the next attempt; 0 where nothing asks for a wait. */
    retryAfterMs: number;
    /** Body of the answer, or null. */
    body: any;
    [other: string]: any;
  }
}
interface Promise<T> {
  catch<R = never>(onrejected?: ((reason: ${THROWN_NAMESPACE}.${THROWN_INTERFACE}) => R | PromiseLike<R>) | null): Promise<T | R>;
  then<R1 = T, R2 = never>(
    onfulfilled?: ((value: T) => R1 | PromiseLike<R1>) | null,
    onrejected?: ((reason: ${THROWN_NAMESPACE}.${THROWN_INTERFACE}) => R2 | PromiseLike<R2>) | null,
  ): Promise<R1 | R2>;
}
`;

export function typeNamesOf(surface: Surface, contract: Contract): TypeNames {
  return {
    adapter: contract.statics.adapterType,
    client: `${typesNamespace(surface.client)}.Client`,
    thrown: `${THROWN_NAMESPACE}.${THROWN_INTERFACE}`,
  };
}

/** Declaration files by name. Only the client's changes with the document or the grant. */
export function declarationsOf(surface: Surface, contract: Contract): Map<string, string> {
  return new Map([
    [CLIENT_FILE, clientDeclarations(surface)],
    [CONTRACT_FILE, contract.typings(surface)],
    [SANDBOX_FILE, `${emitSandboxGlobals()}${THROWN}`],
  ]);
}

export const CLIENT_FILE = 'client.d.ts';
export const CONTRACT_FILE = 'contract.d.ts';
export const SANDBOX_FILE = 'sandbox.d.ts';

/** A `const` would not be a member of `globalThis`, where adapters may look for the client as well. */
function clientDeclarations(surface: Surface): string {
  return emitTypings(surface).replace(`declare const ${surface.client}:`, `declare var ${surface.client}:`);
}
