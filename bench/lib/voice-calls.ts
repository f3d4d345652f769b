import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { psql } from './fleet.ts'
import type { Product } from './product.ts'

const CONNECTIONS = 50
/** Coprime to usual numbers of devices, so that devices far from each other call one after the other. */
const STRIDE = 611_953
const source = (path: string) => import(join(import.meta.dirname, '../../apps/server/src', path))

/** A request of a device or a voice server. */
export interface VoiceCall {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Rate {
  /** Answers a second. */
  readonly perSecond: number
  /** Milliseconds below which 99 % of the answers arrived. */
  readonly p99: number
  /** Bytes of an answer. */
  readonly bytes: number
}

export const macOf = (n: number) => n.toString(16).padStart(12, '0').match(/../g)!.join(':')

/** Returns a function with the number of the next device, from 1 to `devices`. */
export function deviceNumbers(devices: number) {
  let calls = 0
  return () => 1 + ((++calls * STRIDE) % devices)
}

/** Returns the headers of a voice server with the secret of the platform. */
export async function serverHeaders(product: Product): Promise<Record<string, string>> {
  const { decrypt } = (await source(
    'core/crypto/encrypted-value.ts',
  )) as typeof import('../../apps/server/src/core/crypto/encrypted-value.ts')
  const { readSecretKey } = (await source(
    'core/crypto/secret-key.ts',
  )) as typeof import('../../apps/server/src/core/crypto/secret-key.ts')
  // The first call with any secret creates the secret of the platform.
  await fetch(`${product.url}/xiaozhi/config/server-base`, {
    method: 'POST',
    headers: { authorization: 'Bearer none' },
  })
  const encrypted = psql(
    product,
    `select encrypted from agent_secrets where owner_kind = 3 and owner_id = 1 and field = 'server.secret'`,
  )
  const secret = decrypt(readSecretKey(product.dataDir, undefined), encrypted)
  return { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
}

interface Load {
  readonly next: () => VoiceCall
  /** Part of a correct answer. */
  readonly expected: string
  /** Calls a second; without it, each connection sends its next call after each answer. */
  readonly perSecond?: number
}

/** Sends calls on 50 connections. Throws for a wrong answer. At a given pace, waiting for a connection counts too. */
export async function rateOf(url: string, seconds: number, { next, expected, perSecond }: Load): Promise<Rate> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const start = performance.now()
  const times: number[] = []
  let [slots, bytes] = [0, 0]
  const nextStart = () => (perSecond === undefined ? performance.now() : start + (slots++ * 1000) / perSecond)
  const lane = async () => {
    for (let from = nextStart(); from < start + seconds * 1000; from = nextStart()) {
      if (from > performance.now()) await sleep(from - performance.now())
      const answer = await send(url, agent, next())
      times.push(performance.now() - from)
      if (!answer.includes(expected)) throw new Error(`unexpected answer: ${answer.slice(0, 200)}`)
      bytes = Buffer.byteLength(answer)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, lane))
  agent.destroy()
  times.sort((a, b) => a - b)
  return { perSecond: times.length / seconds, p99: times[Math.floor(times.length * 0.99)] ?? Number.NaN, bytes }
}

const send = (url: string, agent: Agent, { path, headers, body }: VoiceCall) =>
  new Promise<string>((done, fail) => {
    const length = { 'content-length': Buffer.byteLength(body) }
    request(`${url}${path}`, { method: 'POST', agent, headers: { ...headers, ...length } }, (reply) => {
      const chunks: Buffer[] = []
      reply.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', fail)
      reply.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        return reply.statusCode === 200 ? done(text) : fail(new Error(`${path}: ${reply.statusCode} ${text}`))
      })
    })
      .on('error', fail)
      .end(body)
  })
