import { BlockList, isIP } from 'node:net'

const PRIVATE = new BlockList()
for (const [net, prefix] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['100.64.0.0', 10],
] as const)
  PRIVATE.addSubnet(net, prefix, 'ipv4')
PRIVATE.addAddress('::1', 'ipv6')
PRIVATE.addSubnet('fc00::', 7, 'ipv6')
PRIVATE.addSubnet('fe80::', 10, 'ipv6')

/** Returns 内网 for a private address and an empty text for other addresses, because no location data is installed. */
export function locateIp(ip: string): string {
  const bare = ip.replace(/^::ffff:(?=\d+\.)/i, '')
  const version = isIP(bare)
  if (version === 0) return ''
  return PRIVATE.check(bare, version === 6 ? 'ipv6' : 'ipv4') ? '内网' : ''
}
