import type { Transporter } from 'nodemailer'
import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { QUEUE_SCHEMA } from '#core/database/migrate.ts'
import type { Services } from '#core/services.ts'
import { refused } from '#core/http/api-error.ts'
import { encrypt, decrypt } from '#core/crypto/keys.ts'

/** Sends plain-text mail through the configured server. `configured` is false without a configured server. */
export class Mailer {
  readonly configured: boolean
  readonly #from: string
  readonly #url: string | undefined
  #transport: Transporter | undefined

  constructor(mail: { readonly url: string; readonly from: string } | undefined) {
    this.configured = mail !== undefined
    this.#from = mail?.from ?? ''
    this.#url = mail?.url
  }

  async send(to: string, subject: string, text: string) {
    if (!this.#url) return
    // Loaded with the first mail, because most installations never send mail.
    const { createTransport } = await import('nodemailer')
    const limits = { connectionTimeout: 10_000, socketTimeout: 20_000 }
    this.#transport ??= createTransport(this.#url, limits as object)
    await this.#transport.sendMail({ from: this.#from, to, subject, text })
  }
}

const KIND = 'mail'
const SEND_SECONDS = 60

interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  /** Key of the mail limit, for example one account. */
  readonly limitKey: string
  /** Lifetime in minutes. A mail that was not sent by then is dropped. */
  readonly validMinutes: number
}
interface Queued {
  readonly encrypted: string
  readonly expireTime: string
}

/** Registers the queue of outgoing mails. A mail that the mail server refuses stays in the queue and is sent again. */
export function registerMail(services: Services) {
  const options = {
    title: '邮件发送',
    concurrency: 2,
    timeLimitSeconds: SEND_SECONDS,
    retries: 20,
    retryDelaySeconds: 5,
    maxRetryDelaySeconds: 120,
  }
  const work = async ({ payload }: { readonly payload: unknown }) => {
    const { encrypted, expireTime } = payload as Queued
    if (services.now().getTime() > Date.parse(expireTime)) {
      services.log.error({ expireTime }, 'a mail could not be sent while it was valid')
      throw refused('邮件在有效期内未能发出，请检查邮件服务')
    }
    const { to, subject, text } = JSON.parse(decrypt(services.config.secretKey, encrypted)) as Mail
    await services.mail.send(to, subject, text)
  }
  services.jobs.registerMessages(KIND, work, options)
}

/** Queues a mail. Returns false when its limit is reached. The queue stores the mail encrypted. */
export async function queueMail(services: Services, db: Db, mail: Mail, mostPerHour: number): Promise<boolean> {
  const { limitKey, validMinutes, ...content } = mail
  // The lock keeps two concurrent requests from both passing the limit.
  await db.execute(sql`select pg_advisory_xact_lock(hashtext('mail'), hashtext(${limitKey}))`)
  const { rows } = await db.execute<{ n: number }>(sql`select count(*)::int as n from ${sql.raw(QUEUE_SCHEMA)}.job
    where name = ${KIND} and singleton_key = ${limitKey} and created_on > now() - interval '1 hour'`)
  if ((rows[0]?.n ?? 0) >= mostPerHour) return false
  const expireTime = new Date(services.now().getTime() + validMinutes * 60_000).toISOString()
  const queued: Queued = { encrypted: encrypt(services.config.secretKey, JSON.stringify(content)), expireTime }
  await services.jobs.sendMessage(db, KIND, queued, { singletonKey: limitKey })
  return true
}

/** Returns true when mails wait because the mail server refused them. The result is the same for every account. */
export async function isMailDelayed(db: Db): Promise<boolean> {
  const { rows } = await db.execute<{ delayed: boolean }>(sql`select exists (
    select from ${sql.raw(QUEUE_SCHEMA)}.job where name = ${KIND} and state = 'retry') as delayed`)
  return rows[0]?.delayed === true
}
