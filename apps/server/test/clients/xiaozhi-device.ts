import { createHmac, randomUUID } from 'node:crypto'
import { type IncomingHttpHeaders, request as httpRequest } from 'node:http'

/** Response as the firmware's HTTP client sees it. */
export interface DeviceReply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

interface Options {
  readonly mac: string
  readonly board?: string
  readonly version?: string
  readonly clientId?: string
  /** Serial number and key in the chip. */
  readonly serial?: string
  readonly key?: string
  readonly headers?: Record<string, string>
}

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads what it expects to be there
type Answer = any

/**
 * Stand-in of the firmware xiaozhi-esp32 2.4, written from the protocol: reports at boot, polls the activation, keeps
 * settings in flash, compares versions, downloads an image without headers and restarts with its version.
 */
export class XiaozhiDevice {
  readonly mac: string
  readonly clientId: string
  readonly board: string
  version: string
  /** Settings in flash by namespace and key. */
  readonly flash = new Map<string, string | number>()
  answer: Answer
  readonly #otaUrl: string
  readonly #options: Options

  constructor(otaUrl: string, options: Options) {
    this.#otaUrl = otaUrl
    this.#options = options
    this.mac = options.mac
    this.board = options.board ?? 'bread-compact-wifi'
    this.version = options.version ?? '2.4.2'
    this.clientId = options.clientId ?? randomUUID()
  }

  get #headers() {
    const { serial, headers } = this.#options
    return {
      'Activation-Version': serial ? '2' : '1',
      'Device-Id': this.mac,
      'Client-Id': this.clientId,
      ...(serial && { 'Serial-Number': serial }),
      'User-Agent': `${this.board}/${this.version}`,
      'Accept-Language': 'zh-CN',
      'Content-Type': 'application/json',
      ...headers,
    }
  }

  /** Body of a boot: numbers and texts as firmware 2.4 sends them. */
  get report() {
    return {
      version: 2,
      language: 'zh-CN',
      flash_size: 16_777_216,
      minimum_free_heap_size: '8318916',
      mac_address: this.mac,
      uuid: this.clientId,
      chip_model_name: 'esp32s3',
      chip_info: { model: 9, cores: 2, revision: 2, features: 18 },
      application: {
        name: 'xiaozhi',
        version: this.version,
        compile_time: 'Aug  8 2026T10:00:00Z',
        idf_version: 'v5.5.1',
        elf_sha256: '0123456789abcdef',
      },
      partition_table: [{ label: 'ota_0', type: 0, subtype: 16, address: 2_097_152, size: 4_128_768 }],
      ota: { label: 'ota_0' },
      display: { monochrome: true, width: 128, height: 64 },
      board: {
        type: this.board,
        name: this.board,
        ssid: 'home',
        rssi: -51,
        channel: 6,
        ip: '192.168.1.9',
        mac: this.mac,
      },
    }
  }

  /** Sends the report of a boot and stores the response as the firmware does. */
  async boot(body: object | string = this.report): Promise<Answer> {
    const reply = await this.send('POST', this.#otaUrl, body)
    if (reply.status !== 200) throw new Error(`Failed to check version, code: ${reply.status}`)
    this.answer = JSON.parse(reply.body.toString())
    for (const name of ['mqtt', 'websocket'])
      for (const [key, value] of Object.entries(this.answer[name] ?? {}))
        if (typeof value === 'string' || typeof value === 'number') this.flash.set(`${name}.${key.slice(0, 15)}`, value)
    return this.answer
  }

  send(method: string, url: string, body?: object | string, headers: Record<string, string> = this.#headers) {
    return new Promise<DeviceReply>((done, fail) => {
      const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
      const request = httpRequest(url, { method, headers, agent: false }, (reply) => {
        const chunks: Buffer[] = []
        reply.on('data', (chunk: Buffer) => chunks.push(chunk))
        reply.on('error', fail)
        reply.on('end', () =>
          done({ status: reply.statusCode ?? 0, headers: reply.headers, body: Buffer.concat(chunks) }),
        )
      })
      request.on('error', fail).end(text)
    })
  }

  /** One call of the activation: 202 not bound yet, 200 bound. */
  async activate(): Promise<number> {
    const { serial, key } = this.#options
    const challenge = this.answer?.activation?.challenge ?? this.mac
    const body =
      serial && key
        ? {
            algorithm: 'hmac-sha256',
            serial_number: serial,
            challenge,
            hmac: createHmac('sha256', Buffer.from(key, 'hex')).update(challenge).digest('hex'),
          }
        : {}
    const { status } = await this.send('POST', `${this.#otaUrl.replace(/\/$/, '')}/activate`, body)
    return status
  }

  /** True when the response offers a newer version. Aborts on text in a version, as the firmware does. */
  get hasUpgrade(): boolean {
    const offered = this.answer?.firmware?.version
    return offered !== undefined && isNewer(this.version, offered)
  }

  /** Downloads the offered image without any own header and restarts with its version. Returns the image. */
  async upgrade(): Promise<Buffer> {
    const { url, version } = this.answer.firmware
    const { status, headers, body } = await this.send('GET', url, undefined, {})
    if (status !== 200) throw new Error(`Failed to get firmware, status code: ${status}`)
    if (Number(headers['content-length']) !== body.length) throw new Error('Failed to get content length')
    this.version = version
    return body
  }
}

function partsOf(version: string) {
  return version.split('.').map((part) => {
    if (!/^\d+$/.test(part) || Number(part) > 2_147_483_647) throw new Error(`abort: stoi of ${part}`)
    return Number(part)
  })
}

function isNewer(current: string, offered: string) {
  const [mine, theirs] = [partsOf(current), partsOf(offered)]
  for (let at = 0; at < Math.min(mine.length, theirs.length); at += 1)
    if (mine[at] !== theirs[at]) return theirs[at]! > mine[at]!
  return theirs.length > mine.length
}
