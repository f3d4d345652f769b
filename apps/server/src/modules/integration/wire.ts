import { createHmac, randomBytes } from 'node:crypto'
import { type EndpointKind, nameOfEvent } from '@oms/contract/integration/webhook.ts'
import type { OutboundRequest } from '#core/outbound/outbound.ts'

/** Mark of a secret of Standard Webhooks 1.0.0. The rest is the key in base64. */
const MARK = 'whsec_'
/** Longest message of WeCom in bytes; the other robots accept more. */
const MAX_ROBOT_BYTES = 4096

export const createWebhookSecret = () => `${MARK}${randomBytes(32).toString('base64')}`

/** A delivery as it is sent. `body` is the JSON text of the event. */
export interface Message {
  readonly kind: EndpointKind
  readonly url: string
  /** Secrets that sign the message, the newest first. */
  readonly secrets: readonly string[]
  readonly eventId: string
  readonly body: string
}

type Request = Pick<OutboundRequest, 'url' | 'headers' | 'body'>

/** Returns the request of a message at this moment. */
export function buildRequest(message: Message, now: Date): Request {
  if (message.kind === 'webhook') return buildWebhook(message, Math.floor(now.getTime() / 1000))
  const { title, lines } = describeEvent(message.body)
  const [secret] = message.secrets
  const send = (url: string, body: object) => ({
    url,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json; charset=utf-8' },
  })
  const markdown = cutBytes([`### ${title}`, ...lines].join('\n\n'), MAX_ROBOT_BYTES)
  if (message.kind === 'dingtalk')
    return send(secret ? signDingTalk(message.url, secret, now.getTime()) : message.url, {
      msgtype: 'markdown',
      markdown: { title, text: markdown },
      at: { atMobiles: [] },
    })
  if (message.kind === 'wecom') return send(message.url, { msgtype: 'markdown', markdown: { content: markdown } })
  const seconds = String(Math.floor(now.getTime() / 1000))
  return send(message.url, {
    ...(secret && { timestamp: seconds, sign: signFeishu(secret, seconds) }),
    msg_type: 'text',
    content: { text: cutBytes([title, ...lines].join('\n'), MAX_ROBOT_BYTES) },
  })
}

/** Builds a request of Standard Webhooks 1.0.0. */
function buildWebhook({ url, secrets, eventId, body }: Message, seconds: number): Request {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(MARK.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${eventId}.${seconds}.${body}`).digest('base64')}`
  })
  return {
    url,
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'OMS-Webhooks',
      'webhook-id': eventId,
      'webhook-timestamp': String(seconds),
      'webhook-signature': signatures.join(' '),
    },
  }
}

/** Signs a call of a DingTalk robot: the key is the secret, the data are the milliseconds and the secret. */
function signDingTalk(url: string, secret: string, milliseconds: number) {
  return `${url}&timestamp=${milliseconds}&sign=${computeDingTalkSign(secret, milliseconds)}`
}
export const computeDingTalkSign = (secret: string, milliseconds: number) =>
  encodeURIComponent(createHmac('sha256', secret).update(`${milliseconds}\n${secret}`).digest('base64'))

/** Signs a message of a Feishu robot: the key contains the seconds and the secret, and the data are empty. */
export const signFeishu = (secret: string, seconds: string) =>
  createHmac('sha256', `${seconds}\n${secret}`).digest('base64')

/** Result of an attempt. `stop`: a repetition cannot succeed. `gone`: the receiver wants no more events. */
export interface Outcome {
  readonly result: 'done' | 'retry' | 'stop' | 'gone'
  readonly answer: string
  readonly httpStatus: number | null
  /** Milliseconds after which the receiver accepts another attempt. */
  readonly retryAfterMs?: number
}

/** Robot responses about keywords, addresses and signatures. Only a person can correct their cause. */
const ROBOT_SETTINGS = new Set([310000, 300001, 19021, 19022, 19024, 93000])

/** Judges a response by the rules of its kind. */
export function judgeResponse(kind: EndpointKind, status: number, text: string): Outcome {
  const isOk = status >= 200 && status < 300
  const outcome = { answer: text, httpStatus: status }
  if (kind === 'webhook') return { ...outcome, result: isOk ? 'done' : status === 410 ? 'gone' : 'retry' }
  const code = status === 200 ? readRobotCode(kind, text) : undefined
  if (code === 0) return { ...outcome, result: 'done' }
  if (code === undefined || !ROBOT_SETTINGS.has(code)) return { ...outcome, result: 'retry' }
  return { ...outcome, result: 'stop', answer: `请检查机器人安全设置（${code}）：${text}` }
}

function readRobotCode(kind: EndpointKind, text: string): number | undefined {
  try {
    const { code, errcode } = JSON.parse(text) as { code?: unknown; errcode?: unknown }
    const given = kind === 'feishu' ? code : errcode
    return typeof given === 'number' ? given : undefined
  } catch {
    return undefined
  }
}

/** Chinese names of the data that a robot shows, in this order. */
const SHOWN = {
  feedbackNo: '工单',
  verName: '版本',
  verCode: '版本号',
  sn: '设备',
  grantNo: '授权',
  outOrderNo: '订单',
  seq: '阶段',
  succeeded: '成功',
  failed: '失败',
} as const

/** Returns the message of a robot about an event. */
function describeEvent(body: string) {
  const { type, timestamp, data } = JSON.parse(body) as {
    type: string
    timestamp: string
    data: Readonly<Record<string, unknown>>
  }
  const lines = Object.entries(SHOWN).flatMap(([key, name]) =>
    data[key] === undefined || data[key] === '' ? [] : [`${name}：${toPlainText(String(data[key]))}`],
  )
  const time = new Date(timestamp).toISOString().slice(0, 19).replace('T', ' ')
  return { title: `OMS ${nameOfEvent(type)}`, lines: [...lines, `时间：${time} UTC`] }
}

/** Removes the signs with which a text could become a mention, a link or a heading. */
const toPlainText = (text: string) => text.replaceAll(/[@#<>[\]()*`\n\r]/g, '').slice(0, 200)

/** Cuts a text to a number of bytes, between two characters. */
export function cutBytes(text: string, max: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= max) return text
  let end = max
  while ((bytes[end]! & 0xc0) === 0x80) end -= 1
  return bytes.subarray(0, end).toString()
}
