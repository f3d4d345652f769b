import { Url } from '../core/url.ts'
import { AD_MESSAGES } from './ad-rules.ts'

/** Names that only a private network resolves. */
const PRIVATE_NAME = /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home|corp|arpa)$/
const IPV4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/

/** Returns true for an IPv4 address that does not lead to the internet. */
function isPrivateIpv4(a: number, b: number, c: number) {
  if (a === 0 || a === 10 || a === 127 || a >= 224) return true
  if (a === 100) return b >= 64 && b < 128
  if (a === 169) return b === 254
  if (a === 172) return b >= 16 && b < 32
  if (a === 192) return b === 168 || (b === 0 && (c === 0 || c === 2))
  if (a === 198) return b === 18 || b === 19 || (b === 51 && c === 100)
  return a === 203 && b === 0 && c === 113
}

/** Returns true unless the address is global unicast. An address that embeds an IPv4 address counts as private. */
function isPrivateIpv6(address: string) {
  const [first = 0, second = 0] = address.split(':').map((part) => Number.parseInt(part || '0', 16))
  if (first < 0x2000 || first > 0x3fff || first === 0x2002) return true
  return first === 0x2001 && (second === 0 || second === 0xdb8)
}

/** Returns true for a host that a screen reaches only inside its own network. `host` is a host of `URL`. */
function isPrivateHost(host: string) {
  if (host.startsWith('[')) return isPrivateIpv6(host.slice(1, -1))
  const [, a, b, c] = IPV4.exec(host) ?? []
  if (a !== undefined) return isPrivateIpv4(Number(a), Number(b), Number(c))
  return !host.includes('.') || PRIVATE_NAME.test(host)
}

/** Returns the host of a web address in lower case without the last dot; empty when the text is no address. */
export function readHost(address: string): string {
  try {
    return new Url(address).hostname.toLowerCase().replace(/\.$/, '')
  } catch {
    return ''
  }
}

/** Returns why a screen must not open a web address; undefined for a https address of a public host. */
export function findWebAddressProblem(address: string): string | undefined {
  const host = readHost(address)
  if (host === '' || !/^https:\/\/[^/?#\s]/i.test(address) || /[\s\p{Cc}]/u.test(address)) return AD_MESSAGES.https
  const { username, password, port } = new Url(address)
  if (username !== '' || password !== '') return AD_MESSAGES.credentials
  // Browsers open no page on the ports of mail and other services.
  if (port !== '' && Number(port) < 1024) return AD_MESSAGES.port
  return isPrivateHost(host) ? AD_MESSAGES.privateHost : undefined
}
