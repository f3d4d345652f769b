import type { Transporter } from 'nodemailer'

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
