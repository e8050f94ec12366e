// The probe's adapter: runs in the guest's realm, like any adapter, and tries what hostile adapter code would try.

/** Names of what can be tried, and what each does: returns what it achieved, or nothing. A throw is a refusal. */
const attempts = new Map();
/** Names by what the attempts are against. */
const names = { client: [], realm: [] };
/** What looks like a secret and was met on the way. */
const found = [];

function attempt(id, work) {
  attempts.set(id, work);
}

async function tried(id) {
  // Where the guest dies of it, the log tells of what.
  console.log(id);
  try {
    const achieved = await attempts.get(id)();
    const happened = achieved !== undefined && achieved !== null && achieved !== false;
    return { id, happened, detail: happened ? String(achieved).slice(0, 200) : 'nothing' };
  } catch (error) {
    return { id, happened: false, detail: String(error?.message ?? error).slice(0, 200) };
  }
}

/** Calls a method with arguments that no gate lets through, under a change of the realm's own intrinsics. */
function polluted(id, client, granted, pollute) {
  if (granted === null) return;
  attempt(`polluted-${id}`, async () => {
    const undo = pollute();
    try {
      await client[granted]('a/../b');
      return 'the call was answered';
    } finally {
      undo();
    }
  });
}

function replaced(object, name, value) {
  const before = Object.getOwnPropertyDescriptor(object, name);
  Object.defineProperty(object, name, { value, writable: true, configurable: true });
  return () => {
    if (before) Object.defineProperty(object, name, before);
    else delete object[name];
  };
}

function againstTheClient({ client: clientName, ungranted, granted, forbiddenTarget }) {
  const client = globalThis[clientName];
  for (const name of ungranted) {
    attempt(`ungranted-${name}`, async () => {
      try {
        return `answered ${await client[name]('1', {}, {})}`;
      } catch (error) {
        return error.origin === 'client' ? null : `refused by ${error.origin ?? error.name}`;
      }
    });
  }
  const own = Object.keys(client)[0];
  const evil = () => 'evil';
  attempt('unknown-method', () => client.constructorOfEverything());
  attempt('untyped-verb', () => client.request('GET', '/') ?? client.fetch('/'));
  attempt('replace-method', () => {
    client[own] = evil;
    return client[own] === evil;
  });
  attempt('add-method', () => {
    client.added = evil;
    return client.added === evil;
  });
  attempt('delete-method', () => {
    delete client[own];
    return !(own in client);
  });
  attempt('define-method', () => {
    Object.defineProperty(client, own, { value: evil });
    return client[own] === evil;
  });
  attempt('set-prototype', () => {
    Object.setPrototypeOf(client, { evil });
    return client.evil === evil;
  });
  attempt('replace-client', () => {
    globalThis[clientName] = { evil };
    return globalThis[clientName].evil === evil;
  });
  attempt('delete-client', () => {
    delete globalThis[clientName];
    return globalThis[clientName] === undefined;
  });
  attempt('borrow-caller', () => client[own].caller ?? client[own].arguments);
  attempt('borrow-through-stack', async () => {
    let stolen = null;
    const undo = replaced(Error, 'prepareStackTrace', (_error, sites) => {
      for (const site of sites) stolen ??= site.getFunction?.() ?? site.getThis?.() ?? null;
      return '';
    });
    try {
      await client[ungranted[0] ?? own]({
        toString() {
          return new Error().stack;
        },
      });
    } catch (error) {
      void error.stack;
    } finally {
      undo();
    }
    return typeof stolen === 'function' ? stolen.name : null;
  });
  const proto = Object.prototype;
  polluted('nothing', client, granted, () => () => undefined);
  polluted('method', client, granted, () => replaced(proto, 'method', 'DELETE'));
  polluted('target', client, granted, () => replaced(proto, 'target', forbiddenTarget));
  polluted('headers', client, granted, () => replaced(proto, 'headers', { authorization: 'Bearer x' }));
  polluted('body', client, granted, () => replaced(proto, 'body', { all: true }));
  polluted('signal', client, granted, () => replaced(proto, 'signal', { aborted: false }));
  polluted('descriptor', client, granted, () => replaced(proto, 'get', () => forbiddenTarget));
  polluted('encoder', client, granted, () => replaced(globalThis, 'encodeURIComponent', (text) => text));
  polluted('join', client, granted, () => replaced(Array.prototype, 'join', () => forbiddenTarget));
  polluted('map', client, granted, () => replaced(Array.prototype, 'map', () => [forbiddenTarget]));
  polluted('iterator', client, granted, () =>
    replaced(Array.prototype, Symbol.iterator, function* () {
      yield forbiddenTarget;
    }),
  );
  polluted('text', client, granted, () => replaced(String.prototype, 'replace', () => forbiddenTarget));
  polluted('concat', client, granted, () => replaced(String.prototype, 'concat', () => forbiddenTarget));
  polluted('json', client, granted, () => replaced(JSON, 'stringify', () => '{"method":"DELETE"}'));
  polluted('index', client, granted, () => replaced(proto, '0', forbiddenTarget));
}

const FORMS = [/loadline-canary-[0-9a-f]{32}/g, /eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/g];

/** Everything that can be reached from `roots` by own properties, getters and prototypes. */
function walk(roots) {
  const seen = new Set();
  const found = [];
  const hosts = [];
  const queue = roots.map((value, index) => [`root ${index}`, value]);
  while (queue.length > 0 && seen.size < 100000) {
    const [path, value] = queue.pop();
    if (typeof value === 'string') {
      for (const form of FORMS) for (const [text] of value.matchAll(form)) found.push({ place: path, text });
      continue;
    }
    if (value === null || (typeof value !== 'object' && typeof value !== 'function') || seen.has(value))
      continue;
    seen.add(value);
    if (typeof value === 'function') queue.push([`${path}()`, Function.prototype.toString.call(value)]);
    try {
      if (typeof value.binding === 'function' || typeof value.mainModule === 'object') hosts.push(path);
    } catch {
      // A getter that refuses.
    }
    for (const key of Reflect.ownKeys(value)) {
      try {
        queue.push([`${path}.${String(key)}`, value[key]]);
      } catch {
        // A getter that refuses.
      }
    }
    queue.push([`${path}.prototype`, Reflect.getPrototypeOf(value)]);
  }
  return { found, hosts, seen: seen.size };
}

async function refusalOf(work) {
  try {
    await work();
    return 'granted';
  } catch (error) {
    return error;
  }
}

function againstTheRealm({ client: clientName, ungranted }) {
  const client = globalThis[clientName];
  const own = client[Object.keys(client)[0]];
  const refusal = () => refusalOf(() => client[ungranted[0]]());
  const imported = () => refusalOf(() => import('node:fs'));
  attempt('walk', async () => {
    const roots = [globalThis, client, await refusal(), await imported(), module, exports, async () => {}];
    const seen = walk(roots);
    found.push(...seen.found);
    return seen.hosts.join(' ') || null;
  });
  attempt('import', async () => ((await imported()) === 'granted' ? 'imported' : null));
  const reachOut = 'return typeof process === "object" && process';
  attempt('function', () => new Function(reachOut)());
  // biome-ignore lint/security/noGlobalEval: whether the realm has it is what is tried
  const indirectEval = globalThis.eval;
  attempt('eval', () => indirectEval('typeof process === "object" && process'));
  for (const [id, value] of Object.entries({
    client: () => own,
    refusal,
    imported,
    console: () => console.log,
    timer: () => setTimeout,
    module: () => module,
  }))
    attempt(`constructor-of-${id}`, async () => (await value()).constructor.constructor(reachOut)());
  attempt('constructor-of-async', () => (async () => {}).constructor(reachOut)());
  attempt('constructor-of-stack', () => {
    let site = null;
    const undo = replaced(Error, 'prepareStackTrace', (_error, sites) => {
      site = sites[0];
      return '';
    });
    void new Error().stack;
    undo();
    return site.getThis?.()?.process ?? site.constructor.constructor(reachOut)();
  });
  for (const name of [
    'process',
    'require',
    'Buffer',
    'fetch',
    'WebAssembly',
    'SharedArrayBuffer',
    'Atomics',
    'WeakRef',
  ])
    attempt(`global-${name}`, () => (typeof globalThis[name] === 'undefined' ? null : name));
  attempt('deep-recursion', () => {
    let caught = null;
    const deeper = () => {
      try {
        deeper();
      } catch (error) {
        caught ??= error;
        try {
          own({});
        } catch (inner) {
          caught = inner;
        }
      }
    };
    deeper();
    return caught instanceof Error ? null : caught?.constructor.constructor(reachOut)();
  });
}

/** The report of one attempt; without an id, the names of all. */
exports.probe = async (config, id) => {
  if (attempts.size === 0) {
    againstTheClient(config);
    names.client = [...attempts.keys()];
    againstTheRealm(config);
    names.realm = [...attempts.keys()].slice(names.client.length);
  }
  return id === undefined ? names : { tried: await tried(id), found: found.splice(0) };
};
