import { createHmac } from 'node:crypto'
import type { useApp } from '#test/harness.ts'
import type { useStorage } from '../storage-fixture.ts'

type Event = Readonly<Record<string, unknown>>
interface Sent {
  readonly status: number
  readonly msg: string
}
interface Item {
  readonly sn: string
  readonly packageCode?: string
  readonly amount?: number
  readonly copies?: number
  readonly channels?: readonly number[]
}

/** Returns functions that create a shop with a webhook on the test server of the calling file, and send its events. */
export function useShop(app: ReturnType<typeof useApp>, storage: ReturnType<typeof useStorage>) {
  const shop = { id: 0, secret: '' }
  let made = 0

  /** Creates the webhook of the shop. */
  async function openShop(over: object = {}) {
    const { data } = await storage.call('POST', '/api/v1/oss/hook', { hookName: '官方商城', ...over })
    Object.assign(shop, data)
  }
  const signatureOf = (body: string, secret: string, time: number) =>
    `t=${time},v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`

  interface Options {
    readonly secret?: string
    readonly time?: number
    readonly signature?: string
  }
  /** Sends a signed body to the webhook. */
  async function sendBody(body: string, { secret = shop.secret, time, signature }: Options = {}): Promise<Sent> {
    const at = time ?? Math.floor(storage.clock.now / 1000)
    const reply = await app.app.inject({
      method: 'POST',
      url: `/api/v1/oss/hook/${shop.id}`,
      headers: {
        'content-type': 'application/json',
        'x-oms-signature': signature ?? signatureOf(body, secret, at),
      },
      payload: body,
    })
    return { status: reply.statusCode, msg: reply.json().msg }
  }
  /** Returns an event of an order with one item for each device. */
  function eventOf(type: string, outOrderNo: string, items: readonly Item[], over: object = {}): Event {
    made += 1
    const lines = items.map((item, at) => ({ packageCode: 'M1', amount: 900, line: at + 1, ...item }))
    const amount = lines.reduce((sum, item) => sum + item.amount, 0)
    const time = Math.floor(storage.clock.now / 1000)
    return { id: `ev_${made}`, type: `order.${type}`, time, data: { outOrderNo, amount, items: lines, ...over } }
  }
  /** Sends an event, and again after HTTP 503, as shops do. */
  async function send(event: Event, options?: Options): Promise<Sent> {
    for (let attempt = 1; ; attempt += 1) {
      const sent = await sendBody(JSON.stringify(event), options)
      if (sent.status !== 503 || attempt === 20) return sent
    }
  }
  const orderOf = async (outOrderNo: string) => {
    const { data } = await storage.call('GET', `/api/v1/oss/order/page?outOrderNo=${outOrderNo}`)
    return (await storage.call('GET', `/api/v1/oss/order/detail/${data.list[0].id}`)).data
  }
  return { shop, openShop, sendBody, eventOf, send, orderOf }
}
