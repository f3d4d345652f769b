import { BlockList } from 'node:net'
import type { Config } from '#core/config/config.ts'
import { createNetList, familyOf } from '#core/config/nets.ts'

/** Rule for the addresses that a request may reach. */
export interface AddressPolicy {
  allows(address: string): boolean
}

type Net = readonly [address: string, bits: number, family: 'ipv4' | 'ipv6']

/** IPv4 networks that no request may reach: unspecified, link-local (metadata services of clouds), multicast, reserved. */
const FORBIDDEN_IPV4 = [
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 3],
] as const

/** Prefixes that a gateway translates into IPv4: NAT64 (RFC 6052) and SIIT (RFC 2765). */
const TRANSLATED = ['64:ff9b::', '::ffff:0:']

const FORBIDDEN: readonly Net[] = [
  ...FORBIDDEN_IPV4.flatMap(([address, bits]): Net[] => [
    [address, bits, 'ipv4'],
    ...TRANSLATED.map((prefix): Net => [`${prefix}${address}`, 96 + bits, 'ipv6']),
  ]),
  ['::', 128, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
]

/**
 * Networks that only rows of the platform may reach. Translation prefixes count as private because they can carry any
 * IPv4.
 */
const PRIVATE: readonly Net[] = [
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.0.2.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['198.51.100.0', 24, 'ipv4'],
  ['203.0.113.0', 24, 'ipv4'],
  // Loopback, and the obsolete IPv4-compatible addresses (`::127.0.0.1`).
  ['::', 96, 'ipv6'],
  ...TRANSLATED.map((prefix): Net => [`${prefix}0.0.0.0`, 96, 'ipv6']),
  ['64:ff9b:1::', 48, 'ipv6'],
  ['2001::', 32, 'ipv6'],
  ['2001:db8::', 32, 'ipv6'],
  ['2002::', 16, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fec0::', 10, 'ipv6'],
]

function listOf(nets: readonly Net[]) {
  const list = new BlockList()
  for (const [address, bits, family] of nets) list.addSubnet(address, bits, family)
  return list
}
const forbidden = listOf(FORBIDDEN)
const restricted = listOf(PRIVATE)

/**
 * Returns the policy of a row's owner. Rows of the platform may name private addresses. Rows of tenants may name them
 * only inside the nets of `OMS_OUTBOUND_PRIVATE`.
 */
export function selectAddressPolicy(
  config: Pick<Config, 'outboundPrivate'>,
  owner: 'platform' | 'tenant',
): AddressPolicy {
  const listed = createNetList(config.outboundPrivate)
  return {
    allows(address) {
      const family = familyOf(address)
      if (listed.check(address, family)) return true
      if (forbidden.check(address, family)) return false
      return owner === 'platform' || !restricted.check(address, family)
    },
  }
}
