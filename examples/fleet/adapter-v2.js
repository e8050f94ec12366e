// Names every order with its command's id, so that the vendor answers a repeat with the order it already has, and
// repeats until something settles it. It trusts the vendor to remember that name, and pauses as long as it likes.

const ATTEMPTS = 40;
const PAUSE_MS = 250;
const ENDED = ['done', 'failed', 'cancelled'];

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const failure = (code, message) => Object.assign(new Error(message), { code });

// Only a refusal is an answer for good. Everything else (busy, broken, no answer at all) is worth another try.
async function persistently(call) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (error.outcome === 'refused' || attempt === ATTEMPTS) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

module.exports = {
  async inventory() {
    const { robots } = await persistently(() => fleet.listRobots());
    return robots.map(({ id, status, battery }) => ({ id, status, battery }));
  },

  async dispatch(robotId, target, commandId) {
    try {
      const body = { target, command_id: commandId };
      const order = await persistently(() => fleet.createMission(robotId, body));
      return order.mission_id;
    } catch (error) {
      const code = error.outcome === 'refused' ? 'refused' : 'unresolved';
      throw failure(code, `Command ${commandId} is ${code}: ${error.message}`);
    }
  },

  async wait(missionId, opts) {
    const maxPolls = opts?.maxPolls ?? 50;
    for (let polls = 1; polls <= maxPolls; polls += 1) {
      try {
        const mission = await fleet.getMission(missionId);
        // An answer about another mission says nothing about this one.
        const ended = mission.id === missionId && ENDED.includes(mission.status);
        if (ended) return { state: mission.status, polls };
      } catch {
        // A read that failed is a read: the loop has counted it.
      }
      await sleep(PAUSE_MS);
    }
    return { state: 'timeout', polls: maxPolls };
  },

  async cancel(missionId) {
    await persistently(() => fleet.cancelMission(missionId));
  },
};
