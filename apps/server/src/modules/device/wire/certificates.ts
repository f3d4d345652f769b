import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import type { Config } from '#core/config/config.ts'
import type { Fleet } from '../fleet/fleet.ts'

/** Certificate data from a trusted proxy that has verified the certificate. */
export interface CertifiedDevice {
  readonly kind: 'certificate'
  /** Common name of the certificate, which is the device's serial. */
  readonly name: string
  /** True when this tenant trusts the certificate's authority. */
  readonly isTrusted: (tenantId: number) => boolean
}

const CLIENT = ['x-ssl-client-cn', 'x-controller-id'] as const
/** Header names of hawkBit, old and new. A certificate chain uses several headers. */
const ISSUER = /^(?:x-ssl-issuer-hash-\d{1,2}|x-authority(?:-\d{1,2})?)$/
const MAX_NAME = 64

const hashOf = (text: string) => text.toLowerCase().replaceAll(/[:\s]/g, '')
const artifactKindOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Authenticates devices by client certificates that the proxy verified. Active only when configured. */
export class Certificates {
  readonly #proxies = new BlockList()
  readonly #issuers: Config['deviceCertificates']['issuers']
  readonly #fleet: Fleet

  constructor({ proxies, issuers }: Config['deviceCertificates'], fleet: Fleet) {
    for (const { address, bits } of proxies) this.#proxies.addSubnet(address, bits, artifactKindOf(address))
    this.#issuers = issuers
    this.#fleet = fleet
  }

  /** Returns undefined for requests without a certificate or from an untrusted address, whose headers are ignored. */
  of({ socket, headers }: IncomingMessage): CertifiedDevice | undefined {
    const peer = (socket.remoteAddress ?? '').replace(/^::ffff:/, '')
    if (!isIP(peer) || !this.#proxies.check(peer, artifactKindOf(peer))) return undefined
    const names = CLIENT.flatMap((name) => headers[name] ?? [])
    const [name = ''] = names
    // With two names, the device itself sent one of the headers.
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
