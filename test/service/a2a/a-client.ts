// The protocol's own client in JavaScript, of the version that speaks A2A 0.3, and what tests send with it.
import type { Message, Task } from "@a2a-js/sdk"
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from "@a2a-js/sdk/client"
import { asAlice } from "../components.ts"

/** `fetch` with Alice's token. */
export async function fetchAsAlice(): Promise<typeof fetch> {
  const token = await asAlice()
  return (input, init) => {
    const headers = new Headers(init?.headers)
    headers.set("authorization", `Bearer ${token}`)
    return fetch(input, { ...init, headers })
  }
}

/** A client of Alice's that has read the card of the component at this address. */
export async function clientOf(address: string): Promise<Client> {
  const fetchImpl = await fetchAsAlice()
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory({ fetchImpl })],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
    }),
  )
  return factory.createFromUrl(`${address}/`)
}

/** A person's message in session s-1. */
export function aMessage(text: string, more: Partial<Message> = {}): { message: Message } {
  return {
    message: {
      kind: "message",
      messageId: "m-1",
      role: "user",
      parts: [{ kind: "text", text }],
      contextId: "s-1",
      ...more,
    },
  }
}

/** The result, which has to be a task. */
export function asTask(result: Message | Task): Task {
  if (result.kind !== "task") throw new Error(`expected a task, not a ${result.kind}`)
  return result
}
