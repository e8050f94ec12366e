/** One ledger row as a sentence of ours, made from the row alone. Ids are the vendor's, so a view shows it as text. */
import type { CallFault, LedgerRow, WorldFault } from './evidence.ts';

export function rowText(row: LedgerRow): string {
  const { order, resource } = row;
  switch (row.kind) {
    case 'opened':
      return `The run begins with ${(row.resources ?? []).map(({ id }) => id).join(', ')}.`;
    case 'order':
      return `${orderer(row)} order ${order?.id} on ${order?.resource}${late(row)}${keyed(order?.key ?? null)}.`;
    case 'repeat':
      return `A create repeats ${row.key ?? 'an order'}: order ${order?.id} is the answer again.`;
    case 'start':
      return `${order?.resource} starts order ${order?.id}.`;
    case 'read':
      return order === undefined
        ? `${row.operation} is read.`
        : `Order ${order.id} is read: ${order.status}.`;
    case 'move':
      return `${resource?.id ?? order?.resource} moves.`;
    case 'cancel':
      return `Order ${order?.id} is cancelled.`;
    case 'end':
      return `Order ${order?.id} ends: ${order?.status}.`;
    case 'refusal':
      return `${row.operation ?? 'A call'} is refused with ${row.status}${row.note ? `: ${row.note}` : '.'}`;
    case 'fault':
      return row.fault === undefined ? 'The scenario interferes.' : faultText(row.fault);
  }
}

function orderer({ credential }: LedgerRow): string {
  return credential === 2 ? "A stranger's credential places" : 'The adapter places';
}

function late({ by }: LedgerRow): string {
  return by === 'scenario' ? ', accepted late' : '';
}

function keyed(key: string | null): string {
  return key === null ? ', without a name' : `, named ${key}`;
}

export function faultText(fault: CallFault | WorldFault): string {
  if (fault.kind === 'resourceFault') return `${fault.resource} breaks down.`;
  if (fault.kind === 'strangersOrder') return `A stranger's order arrives on ${fault.resource}.`;
  const handled = { no: 'is not handled', yes: 'is handled', late: 'is handled later' }[fault.handled];
  const forgotten = fault.forget === true ? ' The vendor forgets its name.' : '';
  return `${fault.operation} ${handled}; ${answerText(fault)}.${forgotten}`;
}

function answerText({ answer, status, afterMs }: CallFault): string {
  switch (answer) {
    case 'own':
      return 'its own answer arrives';
    case 'status':
      return `${status} is answered`;
    case 'dropped':
      return 'the connection closes without an answer';
    case 'unopened':
      return 'no connection is opened';
    case 'slow':
      return `its answer takes ${Math.round((afterMs ?? 0) / 1000)} s`;
    case 'other':
      return "another order's state is answered";
  }
}
