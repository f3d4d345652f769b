import { findInputCarrier, type Endpoint } from '@oms/contract/core/endpoint.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { TokenTally } from '#modules/agent/wire/xiaozhi/relay-usage.ts'
import { parseRelayBody } from '#modules/agent/wire/xiaozhi/relay-vendor.ts'
import { parseFeedback, findFailureReason } from '#modules/upgrade/wire/feedback.ts'
import { parseRepairedJson } from '#modules/device/wire/request.ts'
import { sanitizeFileName } from '#core/storage/file-type.ts'
import { XmlScanner } from '#core/spreadsheet/formats/xlsx-reader.ts'
import { readUserAgent } from '#core/http/user-agent.ts'
import { sanitizeNotice, summarizeHtml } from '#modules/system/notice-html.ts'
import { type Caller, useApp } from './harness.ts'
import { repeatableCalls } from './calls/hostile-calls.ts'

const MOST_MS = 200
const CHARACTERS = [...' \t\n\r[](){}<>"\'\\/%&=?#;:,.-_+*|^$~@!0aA中（。']
/** Repeated texts for calls: one character of each class that regular expressions and parsers distinguish. */
const OF_CALLS = [...' \n[]"\\%0a中.-']
/** Longest text of a device report, a notice or a file name that is parsed. */
const REPORT = 255 * 1024
const CONTENT = 65_535
const NAME = 100_000
/** Text length in total: the fields of a body share its limit of 1 MB, those of a URL 16 KB. */
const BODY = 900_000
const QUERY = 3000

const app = useApp()
let boss: Caller
beforeAll(async () => {
  boss = await app.by({ superAdmin: true })
})

/**
 * Returns the CPU milliseconds of this thread, the best of up to six runs. Other threads, other processes and a garbage
 * collection during one run do not count.
 */
async function costOf(work: () => unknown) {
  let best = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 6 && best > MOST_MS; tries++) {
    const started = process.threadCpuUsage()
    await work()
    const { user, system } = process.threadCpuUsage(started)
    best = Math.min(best, (user + system) / 1000)
  }
  return best
}

async function expectQuick(work: (character: string) => unknown, characters = CHARACTERS) {
  for (const character of characters)
    expect(await costOf(() => work(character)), `repeated ${JSON.stringify(character)}`).toBeLessThan(MOST_MS)
}

function requestOf(endpoint: Endpoint, character: string) {
  const { properties = {} } = z.toJSONSchema(endpoint.input, { io: 'input', unrepresentable: 'any' }) as {
    properties?: object
  }
  const fields = Object.keys(properties)
  const inQuery = findInputCarrier(endpoint) === 'query'
  const room = Math.floor((inQuery ? QUERY : BODY) / Math.max(1, fields.length))
  const text = character.repeat(room)
  const url = endpoint.path.replaceAll(/:\w+/g, '1')
  if (!inQuery) return { url, payload: Object.fromEntries(fields.map((field) => [field, text])) }
  return { url: `${url}?${fields.map((field) => `${field}=${encodeURIComponent(text)}`).join('&')}` }
}

describe('no call blocks the event loop', () => {
  test.each(repeatableCalls)('$method $path does not block the event loop', { timeout: 300_000 }, async (endpoint) => {
    const who = endpoint.access === 'public' ? app.stranger() : boss
    const send = (character: string) => who.inject({ method: endpoint.method, ...requestOf(endpoint, character) })
    await expectQuick(send, OF_CALLS)
  })
})

const MANY_KEYS = `{${Array.from({ length: BODY / 10 }, (_, at) => `"${(at * 7919) % 1_000_003}":1`).join()}}`

/** Parses a completion, builds the request to the vendor and estimates its tokens, as the relay does. */
function readCompletion(content: string) {
  const body = parseRelayBody(`{"messages":[{"role":"user","content":${content}}]}`)!
  JSON.stringify(body)
  return new TokenTally().tokens(body)
}

describe('no parser of texts blocks the event loop', () => {
  const READERS: Readonly<Record<string, (character: string) => unknown>> = {
    'device reports': (character) => {
      const text = character.repeat(REPORT)
      const { details, execution } = parseFeedback(`{"id":"1","status":{"execution":"closed","details":["${text}`, true)
      return findFailureReason({ details, execution })
    },
    'device reports that are no JSON': (character) => parseFeedback(character.repeat(REPORT)),
    'repaired JSON': (character) => parseRepairedJson(`{"a":"${character.repeat(REPORT)}`),
    'completions of the relay': (character) => readCompletion(JSON.stringify(character.repeat(BODY / 6))),
    'completions of the relay with many keys': () => readCompletion(MANY_KEYS),
    notices: (character) => summarizeHtml(sanitizeNotice(`<p>a${character.repeat(CONTENT)}</p>`)),
    'attributes of notices': (character) => sanitizeNotice(`<p style="text-align:${character.repeat(CONTENT)}">a</p>`),
    'file names': (character) => sanitizeFileName(`a${character.repeat(NAME)}b`),
    'user agents': (character) => readUserAgent(character.repeat(NAME)),
    'XML of spreadsheets': (character) => {
      const scanner = new XmlScanner({ open() {}, close() {}, text() {} })
      return [`<a b="${character.repeat(400_000)}`, `<a ${character.repeat(400_000)}>`].forEach((xml) => {
        try {
          scanner.write(xml)
        } catch {
          // A refused text counts like a parsed text.
        }
      })
    },
  }
  test.each(Object.entries(READERS))(
    'the parser %s does not block the event loop',
    { timeout: 300_000 },
    async (_, read) => {
      await expectQuick(read)
    },
  )
})
