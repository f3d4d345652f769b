import { BlockList, isIP } from 'node:net'

/** A network: the addresses whose first `bits` equal those of `address`. */
interface Net {
  readonly address: string
  readonly bits: number
}

/** Parses addresses or networks: `10.0.0.5,192.168.0.0/24,::1`. An invalid entry becomes undefined. */
export function parseNets(text: string): (Net | undefined)[] {
  return text.split(',').flatMap((each) => {
    const [address = '', bits] = each.trim().split('/')
    const most = isIP(address) === 6 ? 128 : 32
    const length = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : -1
    return isIP(address) > 0 && length >= 0 && length <= most ? [{ address, bits: length }] : [undefined]
  })
}

/** Returns the family of a valid address, as `BlockList` names it. */
export const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Returns the list that checks whether an address belongs to one of the networks. */
export function createNetList(nets: readonly Net[]): BlockList {
  const list = new BlockList()
  for (const { address, bits } of nets) list.addSubnet(address, bits, familyOf(address))
  return list
}
