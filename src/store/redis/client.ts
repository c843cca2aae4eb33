// Makes an ioredis client for an address: for one server, for a cluster, or for the primary that the Sentinels name.
import { getCACertificates } from "node:tls"
import { Cluster, Redis, type RedisOptions } from "ioredis"
import type { RedisAddress } from "../../redis-address.ts"
import type { RedisClient } from "./owner.ts"

type SentinelAddress = Extract<RedisAddress, { readonly kind: "sentinel" }>

/** What a client needs. */
export interface RedisClientOptions {
  readonly address: RedisAddress
  /** A CA in PEM that counts beside the usual ones; null: none. */
  readonly ca: string | null
  /** How long one command may take, in ms; null: until Redis answers. */
  readonly commandMs: number | null
}

/** How soon a broken connection is tried again, in ms. */
const again = (times: number) => Math.min(20 * times, 500)

/** How often we ask a cluster who owns what, in ms: a server that hangs does not say which server took over. */
const refreshMs = 5_000

/** A worker's command tries a cluster this many times, 100 ms apart, while no server owns its key. */
const untilOwned = 10_000

/** Makes a client that connects on demand. */
export function createClient({ address, ca, commandMs }: RedisClientOptions): RedisClient {
  const tls = address.tls ? { tls: ca === null ? {} : { ca: [...getCACertificates("default"), ca] } } : {}
  // A name for the client would need one more right, which servers before 7.2 do not know.
  const each = { ...commandLimits(commandMs), connectTimeout: 3_000, disableClientInfo: true, ...tls }
  switch (address.kind) {
    case "server": {
      const options = { ...each, retryStrategy: again, lazyConnect: true }
      return address.url.startsWith("/")
        ? new Redis({ ...options, path: address.url })
        : new Redis(address.url, options)
    }
    case "cluster":
      return createCluster(address, { ...each, ...loginOf(address) }, commandMs)
    case "sentinel":
      return new Redis({
        ...each,
        ...loginOf(address),
        sentinels: address.nodes.map(({ host, port }) => ({ host, port })),
        name: address.primary,
        db: address.database,
        ...sentinelLoginOf(address),
        ...("tls" in tls ? { enableTLSForSentinelMode: true, sentinelTLS: tls.tls } : {}),
        // No failoverDetector: if it hears of a failover while it looks for the primary, ioredis 6.0.0 ends for good.
        sentinelRetryStrategy: again,
        retryStrategy: again,
        lazyConnect: true,
      })
  }
}

function commandLimits(commandMs: number | null) {
  return commandMs === null ? { maxRetriesPerRequest: null } : { maxRetriesPerRequest: 20, commandTimeout: commandMs }
}

function loginOf({ user, password }: RedisAddress) {
  return {
    ...(user === undefined ? {} : { username: user }),
    ...(password === undefined ? {} : { password }),
  }
}

function sentinelLoginOf({ sentinelUser, sentinelPassword }: SentinelAddress) {
  return {
    ...(sentinelUser === undefined ? {} : { sentinelUsername: sentinelUser }),
    ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
  }
}

function createCluster(
  { nodes, tls }: Extract<RedisAddress, { readonly kind: "cluster" }>,
  redisOptions: Omit<RedisOptions, "replyMapping">,
  commandMs: number | null,
): Cluster {
  const cluster = new Cluster(
    nodes.map(({ host, port }) => ({ host, port })),
    {
      redisOptions,
      lazyConnect: true,
      clusterRetryStrategy: again,
      slotsRefreshInterval: refreshMs,
      // Two servers that have not heard of a failover yet would send a command back and forth without a pause.
      retryDelayOnMoved: 20,
      ...(commandMs === null ? { maxRedirections: untilOwned } : {}),
      // A certificate is for a name: if we looked the name up here, only an address would be left to compare.
      ...(tls ? { dnsLookup: (host, found) => found(null, host) } : {}),
    },
  )
  if (commandMs !== null) limitEach(cluster, commandMs)
  stayEnded(cluster)
  return cluster
}

/**
 * Makes an ended client stay ended: ioredis says `close` again for each further node of a cluster that ends. Then a
 * command would wait for its limit instead of failing at once.
 */
function stayEnded(cluster: Cluster): void {
  let ended = false
  cluster.on("connecting", () => {
    ended = false
  })
  cluster.on("end", () => {
    ended = true
  })
  cluster.on("close", () => {
    if (ended) cluster.status = "end"
  })
}

/** Starts each command's time limit at once: a cluster's client would start it only after a server got the command. */
function limitEach(cluster: Cluster, commandMs: number): void {
  const send = cluster.sendCommand.bind(cluster)
  cluster.sendCommand = (command, stream, node) => {
    command.setTimeout(commandMs)
    return send(command, stream, node)
  }
}

/**
 * Connects each node that a cluster's client finds. So a `node error` says what is wrong with the node; without that,
 * the client only says that it is closed. Returns a function that ends this.
 */
export function tellOfNodes(client: RedisClient): () => void {
  const connect = (node: Redis) => void node.connect().catch(() => undefined)
  if (client instanceof Cluster) client.on("+node", connect)
  return () => void client.off("+node", connect)
}

/**
 * Watches the duplicates of a client, which BullMQ makes for blocking reads. Returns a function that ends them: a
 * duplicate that is cut off while its worker closes would try for ever, and the process would not end.
 */
export function watchDuplicates(client: RedisClient): () => void {
  const made = new Set<RedisClient>()
  const watched = <Client extends RedisClient>(one: Client): Client => {
    made.add(one)
    // Whoever uses the client says what is wrong with it; ioredis would print an error that nobody listens to.
    one.on("error", () => undefined)
    one.on("end", () => made.delete(one))
    return one
  }
  if (client instanceof Cluster) {
    const duplicate = client.duplicate.bind(client)
    client.duplicate = (nodes, options) => {
      const one = watched(duplicate(nodes, options))
      stayEnded(one)
      return one
    }
  } else {
    const duplicate = client.duplicate.bind(client)
    client.duplicate = (options) => watched(duplicate(options))
  }
  return () => {
    for (const one of made) one.disconnect()
  }
}
