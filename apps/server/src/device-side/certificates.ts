import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import type { Config } from '#kernel/config.ts'
import type { Fleet } from '#kernel/fleet/fleet.ts'

/** What a trusted proxy says of the certificate it has checked. */
export interface Certified {
  readonly kind: 'certificate'
  /** Its common name: the serial of the device. */
  readonly name: string
  /** Is it of an authority this tenant trusts? */
  readonly isTrusted: (tenantId: number) => boolean
}

const CLIENT = ['x-ssl-client-cn', 'x-controller-id'] as const
/** hawkBit's names, old and new; a chain is told in several of them. */
const ISSUER = /^(?:x-ssl-issuer-hash-\d{1,2}|x-authority(?:-\d{1,2})?)$/
const MAX_NAME = 64

const hashOf = (text: string) => text.toLowerCase().replaceAll(/[:\s]/g, '')
const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Devices that prove themselves by a client certificate to the proxy in front; only where the operator says so. */
export class Certificates {
  readonly #proxies = new BlockList()
  readonly #issuers: Config['deviceCertificates']['issuers']
  readonly #fleet: Fleet

  constructor({ proxies, issuers }: Config['deviceCertificates'], fleet: Fleet) {
    for (const { address, bits } of proxies) this.#proxies.addSubnet(address, bits, familyOf(address))
    this.#issuers = issuers
    this.#fleet = fleet
  }

  /** Undefined: the call comes from somebody else, or without a certificate. Its headers count for nothing then. */
  of({ socket, headers }: IncomingMessage): Certified | undefined {
    const peer = (socket.remoteAddress ?? '').replace(/^::ffff:/, '')
    if (!isIP(peer) || !this.#proxies.check(peer, familyOf(peer))) return undefined
    const names = CLIENT.flatMap((name) => headers[name] ?? [])
    const [name = ''] = names
    // Two names would be one that the device brought itself.
    if (names.length !== 1 || name === '' || name.length > MAX_NAME) return undefined
    const hashes = new Set<string>()
    for (const [header, value] of Object.entries(headers))
      if (typeof value === 'string' && ISSUER.test(header)) hashes.add(hashOf(value))
    return { kind: 'certificate', name, isTrusted: (tenantId) => this.#trusts(tenantId, hashes) }
  }

  #trusts(tenantId: number, hashes: ReadonlySet<string>) {
    return this.#issuers.some(
      ({ tenant, hash }) => hashes.has(hash) && (tenant === undefined || this.#tenant(tenant) === tenantId),
    )
  }

  #tenant(name: string) {
    return name.toUpperCase() === 'DEFAULT' ? 1 : this.#fleet.state.tenantIds.get(name)
  }
}
