// Places one order per command on a vendor that may lose answers, answer late or forget what it was told:
// it looks before it repeats an order, and never takes "I cannot see it" for "it is not there".

const PATIENCE_MS = 30_000;
const MIN_ATTEMPTS = 10;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2_000;
const ENDED = ['done', 'failed', 'cancelled'];

/** One promise per command id: two calls for one command share one order. */
const orders = new Map();

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const failure = (code, message) => Object.assign(new Error(message), { code });

// Longer from one attempt to the next, on top of what the vendor or the broker asked for.
const pauseAfter = (error, attempt) =>
  Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS) + (error.retryAfterMs ?? 0);

// Time alone is no measure: a vendor that takes a minute per answer would get one attempt.
function startPatience() {
  const until = Date.now() + PATIENCE_MS;
  return (attempt) => attempt >= MIN_ATTEMPTS && Date.now() >= until;
}

/** Repeats a call that is safe to repeat until it is answered, refused, or patience is over. */
async function patiently(call) {
  const isOver = startPatience();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (error.outcome === 'refused' || isOver(attempt)) throw error;
      await sleep(pauseAfter(error, attempt));
    }
  }
}

async function readMission(missionId) {
  const mission = await fleet.getMission(missionId);
  if (mission.id !== missionId) throw new Error(`Asked for ${missionId}, the answer is about ${mission.id}.`);
  return mission;
}

/**
 * Looks for the command's order as its robot's running mission: its id, or null where that robot runs none of ours.
 * The name tells ours from another client's. What cannot be read stays unresolved.
 */
async function find(robotId, commandId) {
  try {
    const { robots } = await patiently(() => fleet.listRobots());
    const running = robots.find((robot) => robot.id === robotId)?.mission ?? null;
    if (running === null) return null;
    const mission = await patiently(() => readMission(running));
    return mission.command_id === commandId ? running : null;
  } catch (error) {
    throw failure('unresolved', `Command ${commandId}: its robot cannot be read: ${error.message}`);
  }
}

async function createOrder(robotId, target, commandId) {
  const order = await fleet.createMission(robotId, { target, command_id: commandId });
  if (order.command_id !== commandId) throw new Error(`The answer is about command ${order.command_id}.`);
  return order.mission_id;
}

async function place(robotId, target, commandId) {
  const isOver = startPatience();
  // Whether an earlier attempt may have left an order behind.
  let doubt = false;
  for (let attempt = 1; ; attempt += 1) {
    const found = doubt ? await find(robotId, commandId) : null;
    if (found !== null) return found;
    try {
      return await createOrder(robotId, target, commandId);
    } catch (error) {
      const over = isOver(attempt);
      // While in doubt a refusal speaks of this attempt only: the earlier one may still turn up.
      if (error.outcome === 'refused' && (over || !doubt)) {
        throw failure('refused', `Command ${commandId} was refused: ${error.message}`);
      }
      if (over) throw failure('unresolved', `Command ${commandId} may have been taken: ${error.message}`);
      if (error.sent !== 'no') doubt = true;
      await sleep(pauseAfter(error, attempt));
    }
  }
}

module.exports = {
  async inventory() {
    const { robots } = await patiently(() => fleet.listRobots());
    return robots.map(({ id, status, battery }) => ({ id, status, battery }));
  },

  async dispatch(robotId, target, commandId) {
    let order = orders.get(commandId);
    if (order === undefined) {
      order = place(robotId, target, commandId);
      orders.set(commandId, order);
      // A command without an order may be dispatched anew.
      order.catch(() => orders.delete(commandId));
    }
    return order;
  },

  async wait(missionId, opts) {
    const maxPolls = opts?.maxPolls ?? 50;
    for (let polls = 1; polls <= maxPolls; polls += 1) {
      let pause = FIRST_PAUSE_MS;
      try {
        const mission = await readMission(missionId);
        if (ENDED.includes(mission.status)) return { state: mission.status, polls };
      } catch (error) {
        // A failed read is a read. Reading again before the time asked for would waste one more.
        pause = pauseAfter(error, 1);
      }
      await sleep(pause);
    }
    return { state: 'timeout', polls: maxPolls };
  },

  async cancel(missionId) {
    await patiently(() => fleet.cancelMission(missionId));
  },
};
