import { randomBytes } from 'node:crypto'
import { TICKET_FILE, TICKET_IMAGE } from '@oms/contract/feedback-rows.ts'
import { IMAGE_EXTENSIONS, extensionOf, uploadProblem } from '@oms/contract/upload.ts'
import { files } from '#db/schema/system.ts'
import { displayName, judge } from '#kernel/files/kinds.ts'
import type { Kernel } from '#kernel/kernel.ts'
import { Problem } from '#kernel/problem.ts'
import { createTicketFromDevice } from '#kernel/tickets/create-ticket.ts'
import { DeviceProblem, wrong } from '../answer.ts'
import type { PlainAnswer, PlainCall } from './routes.ts'

const MAX_CONTENT = 2000
const MAX_FILES = 5
/** Control characters but line ends: what a person types has none, and PostgreSQL takes no zero. */
const ODD = /[^\P{Cc}\n\t]|\p{Cs}/gu

const textOf = (value: unknown, most: number) =>
  typeof value === 'string' ? value.replaceAll(ODD, ' ').trim().slice(0, most) : ''

/**
 * `ticket`: a device, or the App through it, reports a problem. `problemType` 1-3, `content`, and if known `account`,
 * `contact`, `priority` 1-4 and `source` (1 the App speaks). `files` holds up to five of `{name, data}` in base64; the
 * whole body is 256 KB at most. Answers the ticket's number.
 */
export async function ticket({ side, deviceId, tenantId, sn, body }: PlainCall): Promise<PlainAnswer> {
  const problemType = Number(body.problemType)
  if (![1, 2, 3].includes(problemType)) throw wrong('problemType must be 1, 2 or 3')
  const content = textOf(body.content, MAX_CONTENT)
  if (content === '') throw wrong('content is missing')
  const priority = body.priority === undefined ? 2 : Number(body.priority)
  if (![1, 2, 3, 4].includes(priority)) throw wrong('priority must be 1 to 4')
  const sent = filesIn(body.files)
  try {
    const kept = await keep(side.kernel, tenantId, sent)
    const { feedbackNo } = await createTicketFromDevice(side.kernel, {
      deviceId,
      tenantId,
      sn,
      problemType,
      content,
      priority,
      ...kept,
      account: textOf(body.account, 50),
      contact: textOf(body.contact, 50),
      source: Number(body.source) === 1 ? 1 : 4,
    })
    return { status: 200, body: { feedbackNo } }
  } catch (error) {
    throw error instanceof Problem ? new DeviceProblem(409, error.message) : error
  }
}

interface Sent {
  readonly name: string
  readonly bytes: Buffer
}

function filesIn(value: unknown): Sent[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value) || value.length > MAX_FILES) throw wrong(`files must be a list of at most ${MAX_FILES}`)
  return value.map((each: unknown) => {
    const { name, data } = (each ?? {}) as { name?: unknown; data?: unknown }
    if (typeof name !== 'string' || typeof data !== 'string') throw wrong('a file is {name, data}')
    return { name, bytes: Buffer.from(data, 'base64') }
  })
}

/** Keeps what was sent under the same rules as uploads of the console; nobody's account owns it. */
async function keep({ files: store, database }: Kernel, tenantId: number, sent: readonly Sent[]) {
  const kept: { attachments: string[]; images: string[] } = { attachments: [], images: [] }
  for (const { name: given, bytes } of sent) {
    const isImage = (IMAGE_EXTENSIONS as readonly string[]).includes(extensionOf(given))
    const rule = isImage ? TICKET_IMAGE : TICKET_FILE
    const problem = uploadProblem(rule, { name: given, size: bytes.length })
    if (problem) throw new DeviceProblem(400, problem)
    const name = displayName(given)
    const verdict = judge(rule, name, bytes)
    if (!verdict.ok) throw new DeviceProblem(400, verdict.msg ?? 'not a picture')
    const { md5, sha1, sha256, size } = await store.put([bytes].values() as unknown as AsyncIterable<Uint8Array>)
    const id = randomBytes(16).toString('hex')
    const purpose = isImage ? 'ticketImage' : 'ticket'
    await database.db.insert(files).values({ id, tenantId, purpose, name, mime: verdict.mime, size, md5, sha1, sha256 })
    kept[isImage ? 'images' : 'attachments'].push(id)
  }
  return kept
}
