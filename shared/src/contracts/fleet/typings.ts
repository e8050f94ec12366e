/** TypeScript declarations of the contract's shapes. In a namespace: the client's own types are global beside them. */
export const TYPINGS = `declare namespace FleetContract {
  interface InventoryEntry {
    id: string;
    status: 'idle' | 'moving' | 'fault';
    /** Percent. */
    battery: number;
  }
  /** Whole numbers on the floor. */
  interface Target {
    x: number;
    y: number;
  }
  interface WaitOptions {
    /** Status reads that this wait may make, failed ones included. Default 50. */
    maxPolls?: number;
  }
  interface WaitResult {
    /** 'timeout': the mission had not ended when the reads were used up. */
    state: 'done' | 'failed' | 'cancelled' | 'timeout';
    /** Status reads made, failed ones included; never above maxPolls. */
    polls: number;
  }
  type Inventory = () => Promise<InventoryEntry[]>;
  /** Throws an Error with code 'refused' or 'unresolved' where there is no mission id to give. */
  type Dispatch = (robotId: string, target: Target, commandId: string) => Promise<string>;
  type Wait = (missionId: string, opts: WaitOptions) => Promise<WaitResult>;
  type Cancel = (missionId: string) => Promise<unknown>;
  interface Adapter {
    inventory: Inventory;
    dispatch: Dispatch;
    wait: Wait;
    cancel: Cancel;
  }
}
`;
